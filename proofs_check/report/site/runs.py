"""Sentences cut into formulas and words: formulas are runs of operands with operators between them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from proofs_check.report.site.formula import LONGEST, MOMENTS, latex, parsed, recognised

#: Calls that only a formula has.
_SURE = frozenset(["exp", "sqrt", "norm", "erf", "hyper", "radial"])
_OPERATORS = frozenset(["+", "-", "*", "/", "**", "=", "<", "<=", ">", ">=", "==", "!="])
_ARITHMETIC = frozenset("+-*/") | {"**"}
_COMPARED = frozenset(["=", "<", "<=", ">", ">="])
_TAIL = ".,;:"
#: Words of which none is a factor of what follows in brackets.
_CONNECTIVES = frozenset(["iff", "if", "and", "or"])
#: How a remark in brackets begins: with a word, and not with a formula.
_SAID = re.compile(r"\([A-Za-z][a-z]+ ")
_SIGNS = {"->": "→", "<=": "≤", ">=": "≥", "!=": "≠"}


@lru_cache(maxsize=20_000)
def pieces(text: str) -> tuple[tuple[bool, str], ...]:
    """A sentence cut into (whether it is a formula, the text): formulas are runs of operands with operators between."""
    return tuple(_pieces(text))


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    words = _words(text)
    place = 0
    plain: list[str] = []
    while place < len(words):
        end = _run(words, place)
        if end == place:
            plain.append(words[place])
            place += 1
            continue
        if plain:
            yield False, _told(plain)
            plain = []
        last = words[end - 1].rstrip(_TAIL)
        yield True, " ".join([*words[place : end - 1], last])
        if tail := words[end - 1][len(last) :]:
            plain.append(tail)
        place = end
    if plain:
        yield False, _told(plain)


def _told(words: list[str]) -> str:
    """Words of a sentence, brackets close to what is in them."""
    return re.sub(r"(?<=\() | (?=\))", "", " ".join(words))


def sides(run: str) -> list[str]:
    """A run cut at its relations outside all brackets, these being parts of their own."""
    found: list[str] = []
    for word in _words(run):
        if word in _COMPARED or not found or found[-1] in _COMPARED:
            found.append(word)
        else:
            found[-1] += f" {word}"
    return found


def readable(text: str) -> str:
    """Words with the signs among them, which are no part of a formula, as they are read."""
    return " ".join(_SIGNS.get(word, word) for word in text.split(" "))


def _words(text: str) -> list[str]:
    """The words of a text; what stands in brackets is one word with what it touches, unless it is a sentence."""
    found, depth, word = [], 0, ""
    for letter in text[: 4 * LONGEST]:
        depth = max(0, depth + (letter in "([{") - (letter in ")]}"))
        if letter.isspace() and depth == 0:
            found.append(word)
            word = ""
        else:
            word += letter
    return [part for whole in [*found, word] if whole for part in _within(whole)]


def _within(word: str) -> list[str]:
    """The words of a sentence in brackets, or the word itself."""
    bare = word.rstrip(_TAIL)
    if not (_enclosed(bare) and _SAID.match(bare)):
        return [word]
    return ["(", *_words(bare[1:-1]), ")" + word[len(bare) :]]


def _run(words: list[str], start: int) -> int:
    """The end of the formula that starts at this word; ``start`` where none does."""
    # what stands in brackets may be a factor of the word before
    free = start == 0 or words[start - 1][-1] in _TAIL or words[start - 1] in _CONNECTIVES
    within = _enclosed(words[start].rstrip(_TAIL)) and not free
    if within or not _operand(words[start].rstrip(_TAIL)):
        return start
    end = start + 1
    while words[end - 1][-1] not in _TAIL and end + 1 < len(words) and words[end] in _OPERATORS:
        following = words[end + 1].rstrip(_TAIL)
        # what stands in brackets may be a factor of words around it, so the brackets must not be lost
        after = words[end + 2].rstrip(_TAIL) if end + 2 < len(words) and words[end + 1] == following else ""
        factor = _enclosed(following) and words[end] not in _ARITHMETIC and after not in _OPERATORS and _operand(after)
        if not _operand(following) or factor:
            break
        end += 2
    first = words[start].rstrip(_TAIL)
    alone = end == start + 1
    # a lone number or one-letter word is as readable in the sentence, and may be an article
    return start if alone and (_enclosed(first) or re.fullmatch(r"[aAI]|-?[\d.]+", first)) else end


def _enclosed(word: str) -> bool:
    """Whether all of a word stands in one pair of brackets."""
    depth = 0
    for place, letter in enumerate(word):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return place == len(word) - 1 and letter == ")"
    return False


@lru_cache(maxsize=20_000)
def _operand(word: str) -> bool:
    tree = parsed(word)
    if latex(word) is None:
        return False
    if tree is None or _certain(tree):
        return not isinstance(tree, ast.Compare)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    called |= {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in MOMENTS
    }
    return all(
        recognised(node.id) for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called
    ) and not isinstance(tree, ast.Compare)


def _certain(tree: ast.expr) -> bool:
    """Whether no word of a sentence looks like this, whatever its names are."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Pow)):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _SURE:
            return True
    return False

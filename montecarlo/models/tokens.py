"""A text as tokens, by the tokenizer that lies beside the model or in its GGUF file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from montecarlo.models.config import ModelError
from montecarlo.models.weights import Model

#: Most bytes of a tokenizer.json: the largest vocabularies have half of that.
TOKENIZER = 1 << 26
_INSTALL = "install the extra: pip install 'twofold[models]'"


def encoded(model: Model, text: str) -> list[int]:
    """The tokens of a text, without special ones; ModelError where there is no tokenizer that can be read."""
    try:
        import tokenizers
    except ImportError:
        raise ModelError(str(model.path), "the package tokenizers", _INSTALL) from None
    try:
        with _silent():
            found = _of_fields(tokenizers, model) if model.fields else _of_folder(tokenizers, model)
            # the file may cut and fill what is read in batches; here the text is read as it is
            found.no_truncation()
            found.no_padding()
            tokens: list[int] = found.encode(text, add_special_tokens=False).ids
    except ModelError:
        raise
    except BaseException as error:
        # the library raises plain exceptions, and what its Rust panics with is not even one
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise ModelError(f"the tokenizer of {model.path}", f"one that reads the text ({error!s:.160})") from None
    if tokens and max(tokens) >= model.config.vocabulary:
        raise ModelError(f"token {max(tokens)}", f"tokens below the model's {model.config.vocabulary}")
    return tokens


@contextmanager
def _silent() -> Iterator[None]:
    """Drop what Rust writes to stderr as it panics; the exception that it raises then says the same."""
    try:
        kept = os.dup(2)
    except OSError:
        # it is closed already
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _of_folder(tokenizers: Any, model: Model) -> Any:
    file = model.path / "tokenizer.json"
    if not file.is_file():
        raise ModelError(str(model.path), "tokenizer.json in the folder", "copy it from where the model came from")
    if file.stat().st_size > TOKENIZER:
        raise ModelError(str(file), f"at most {TOKENIZER >> 20} MiB")
    return tokenizers.Tokenizer.from_file(str(file))


def _of_fields(tokenizers: Any, model: Model) -> Any:
    """The byte-level BPE that a GGUF file holds; its digits one by one where the file says smollm."""
    at = "tokenizer.ggml."
    kind, pre = model.fields.get(at + "model"), model.fields.get(at + "pre", "default")
    splits = {"smollm": [tokenizers.pre_tokenizers.Digits(individual_digits=True)], "gpt-2": [], "default": []}
    if kind != "gpt2" or pre not in splits:
        raise ModelError(
            f"{model.path}: tokenizer {kind}/{pre}", "gpt2 with smollm or gpt-2", "measure the model's folder instead"
        )
    vocabulary = {token: number for number, token in enumerate(model.fields[at + "tokens"])}
    merges = [tuple(merge.split(" ", 1)) for merge in model.fields.get(at + "merges", [])]
    found = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=merges))
    bytewise = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    found.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([*splits[pre], bytewise])
    return found

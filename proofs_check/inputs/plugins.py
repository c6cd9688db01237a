"""Claims of other packages: found through entry points, or named by the folder that holds them.

An entry point of the group ``twofold.papers`` names a paper and the package that judges it:

    [project.entry-points."twofold.papers"]
    mypaper = "mypaper"

``mypaper.theorems`` holds statements and derivations, ``mypaper.montecarlo`` the simulations; either may be a module
or a package of modules. Nothing of a package is imported before a claim is listed or judged.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import pkgutil
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from proofs_check.inputs.errors import UsageError, shown_error
from theorems.claims import catalogue
from theorems.claims.catalogue import CatalogueError, Statement

GROUP = "twofold.papers"

_folders: dict[str, str] = {}
_loaded: set[str] = set()


@cache
def installed() -> dict[str, str]:
    """Paper -> package, for every installed package that offers one; CatalogueError where two offer one paper."""
    found: dict[str, str] = {}
    for point in importlib.metadata.entry_points(group=GROUP):
        if found.setdefault(point.name, point.value) != point.value:
            raise CatalogueError(
                f"two packages offer the paper {point.name!r}: {found[point.name]} and {point.value}; uninstall one"
            )
        if point.name in catalogue.PAPERS:
            raise CatalogueError(f"the package {point.value!r} offers {point.name!r}, which ships already; rename it")
    return found


def packages() -> dict[str, str]:
    """Paper -> package, installed or opened from a folder."""
    return {**installed(), **_folders}


def open_folder(paper: str, folder: Path) -> bool:
    """Take ``folder/paper/theorems`` (or theorems.py) as a package of that name; whether there is one."""
    if (
        len(paper) > 64
        or not paper.isidentifier()
        or not any((folder / paper / name).exists() for name in ("theorems", "theorems.py"))
    ):
        return False
    if str(folder) not in sys.path:
        # last, so that modules beside the package hide none that is installed
        sys.path.append(str(folder))
    _folders[paper] = paper
    return True


def _gathered(paper: str, package: str) -> bool:
    """Import a package's claims, file by file: one that cannot be imported is an ``error`` and spoils no other."""
    from theorems.authoring import gathering, unread

    name = f"{package}.theorems"

    def imported(module: str, label: str) -> Any:
        try:
            return importlib.import_module(module)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            missing = error.name if isinstance(error, ModuleNotFoundError) else None
            if module == name and missing is not None and f"{name}.".startswith(f"{missing}."):
                return None
            # what a file raises is its own: it may be no Exception
            why = f"{module} cannot be imported: {shown_error(error)}"
            return catalogue.add(unread(f"{paper}.{label}.unread", label, why, package))

    with gathering(paper):
        module = imported(name, "theorems")
        if module is None:
            return False
        for child in pkgutil.iter_modules(getattr(module, "__path__", ())):
            imported(f"{name}.{child.name}", child.name)
    return True


def load() -> None:
    """Import the statements and derivations of every package that offers a paper, each once.

    What is wrong with one of its claims is an ``error`` of its own. Raises CatalogueError, naming the package, for one
    that has no module ``theorems``, or whose derivations import torch.
    """
    for paper, package in packages().items():
        if paper in _loaded:
            continue
        from theorems.authoring import set_apart
        from theorems.kernel.derivation import registry

        sampled_before, known = "torch" in sys.modules, set(registry)
        there = _gathered(paper, package)
        if not there:
            raise CatalogueError(f"the package {package!r} of the paper {paper!r} has no module theorems; add one")
        if not sampled_before and "torch" in sys.modules:
            raise CatalogueError(f"{package}.theorems imports torch; a derivation may not see the simulation's side")
        for claim in catalogue.added():
            if claim.plugin == package and not claim.id.startswith(paper + "."):
                catalogue.discard(claim.id)
                why = f"{claim.id}: the package {package!r} offers {paper!r}; begin the id with that"
                set_apart(paper, claim.id, claim.quantity, why, package)
        for name in sorted(set(registry) - known):
            # a package may import derivations of others
            if not name.startswith(paper + ".") and registry[name].__module__.split(".")[0] == package:
                del registry[name]
                why = f"{name}: the package {package!r} derives a claim that is not its own; drop that"
                set_apart(paper, name, name, why, package)
        _loaded.add(paper)


@dataclass(frozen=True)
class Broken:
    """A file of simulations that cannot be used: why, and the text in which it names claims ("" if not known)."""

    why: str
    text: str = ""


#: What cannot be used of the simulations of a package; one that was looked at is not imported again.
_broken: dict[str, tuple[Broken, ...]] = {}


def _imported(package: str, paper: str) -> tuple[Broken, ...]:
    """Import a package's simulations file by file; what cannot be used of them."""
    from montecarlo.registry import withdraw

    broken = []

    def imported(name: str) -> Any:
        try:
            return importlib.import_module(name)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            missing = error.name if isinstance(error, ModuleNotFoundError) else None
            if name.count(".") > 1 or missing is None or not f"{name}.".startswith(f"{missing}."):
                # what a file raises is its own: it may be no Exception
                broken.append(Broken(f"{name} cannot be imported: {shown_error(error)}", _source(name)))
            return None

    module = imported(f"{package}.montecarlo")
    for child in pkgutil.iter_modules(getattr(module, "__path__", ())):
        imported(f"{package}.montecarlo.{child.name}")
    if foreign := withdraw(package, paper):
        broken.append(Broken(f"the package {package!r} simulates {foreign[0]}, which is not its own; drop that"))
    return tuple(broken)


def _source(module: str) -> str:
    try:
        spec = importlib.util.find_spec(module)
        return Path(str(spec.origin)).read_text(encoding="utf-8") if spec is not None else ""
    except Exception:
        return ""


def load_simulations(claim: Statement) -> None:
    """Import the simulations of the package that a claim comes from; the suite's own are found without.

    Raises CatalogueError where a file that names the claim cannot be imported and nothing else simulates it: it spoils
    no other claim. One that names no claim of the package may be anyone's.
    """
    # a package's claims come from its own module of that name; a notebook or a test module has none
    package = claim.plugin
    if not package or f"{package}.theorems" not in sys.modules or package == "theorems":
        return
    if package not in _broken:
        _broken[package] = _imported(package, claim.id.split(".")[0])
    from montecarlo.registry import find

    ids = [one.id for one in catalogue.added() if one.plugin == package]
    for broken in _broken[package]:
        if broken.text:
            try:
                find(claim.id)
                continue
            except LookupError:
                pass
        named = [one for one in ids if re.search(rf"[\"']{re.escape(one)}[\"']", broken.text)]
        if not named or (claim.corrects or claim.id) in named:
            raise CatalogueError(broken.why)


def empirical_check(claim: Statement) -> Any:
    """The simulation, evaluation or search of a claim; UsageError in one line where there is none that can be used."""
    from montecarlo import registry as simulations

    try:
        load_simulations(claim)
        return simulations.find(claim.corrects or claim.id)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        what = shown_error(error)
        raise UsageError("ID", claim.id, f"a claim with both of its sides ({what})", verbatim=True) from None

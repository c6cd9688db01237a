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
import pkgutil
import sys
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
        sys.path.insert(0, str(folder))
    _folders[paper] = paper
    return True


def import_all(name: str) -> bool:
    """Import a module, and its sub-modules where it is a package; whether it exists."""
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (error.name == name or name.startswith(error.name + ".")):
            return False
        raise
    for child in pkgutil.iter_modules(getattr(module, "__path__", ())):
        importlib.import_module(f"{name}.{child.name}")
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

    Raises CatalogueError, naming the package, for one that has no module ``theorems``, whose derivations import torch,
    or whose claims do not begin with its paper's name.
    """
    for paper, package in packages().items():
        if paper in _loaded:
            continue
        from theorems.kernel.derivation import registry

        sampled_before, known = "torch" in sys.modules, set(registry)
        there = _gathered(paper, package)
        if not there:
            raise CatalogueError(f"the package {package!r} of the paper {paper!r} has no module theorems; add one")
        if not sampled_before and "torch" in sys.modules:
            raise CatalogueError(f"{package}.theorems imports torch; a derivation may not see the simulation's side")
        foreign = [c.id for c in catalogue.added() if c.plugin == package and not c.id.startswith(paper + ".")]
        if foreign:
            raise CatalogueError(f"{foreign[0]}: the package {package!r} offers {paper!r}; begin the id with that")
        stolen = sorted(name for name in set(registry) - known if not name.startswith(paper + "."))
        if stolen:
            raise CatalogueError(f"{stolen[0]}: the package {package!r} derives a claim that is not its own; drop that")
        _loaded.add(paper)


def load_simulations(claim: Statement) -> None:
    """Import the simulations of the package that a claim comes from; the suite's own are found without."""
    # a package's claims come from its own module of that name; a notebook or a test module has none
    if claim.plugin and f"{claim.plugin}.theorems" in sys.modules and claim.plugin != "theorems":
        import_all(f"{claim.plugin}.montecarlo")


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

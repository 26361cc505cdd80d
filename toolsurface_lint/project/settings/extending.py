"""What settings extend: rules and severities of other files, which are read as data, and rules of packages that are named.

A file lies below the folder of the settings, or is one of an installed distribution, which is not imported. Of the files of
one's own, those that come first lose against those that come after, and all of them against the settings themselves.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from toolsurface_lint.model.names import did_you_mean
from toolsurface_lint.own_rules.language import MAX_RULES, Definition
from toolsurface_lint.own_rules.patterns import MAX_PROGRAMS, compiled
from toolsurface_lint.project.discovery.paths import is_below
from toolsurface_lint.project.settings import OWN_FILE, Settings, values
from toolsurface_lint.project.settings.own_rules import read_rules
from toolsurface_lint.project.settings.selection import all_codes
from toolsurface_lint.project.settings.settings_file import SettingsFile, check_codes
from toolsurface_lint.project.settings.values import InvalidSetting
from toolsurface_lint.source import disk
from toolsurface_lint.source.files import read_bytes

if TYPE_CHECKING:
    from toolsurface_lint.checks.contract import Check
    from toolsurface_lint.source.tree import Path

MAX_FILES = 20
"""Files that settings may extend, directly and through one another."""
_MAX_SIZE = 1024 * 1024

_DISTRIBUTION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")

EXTENDED: values.Readers = {
    "rule": read_rules,
    "severity": values.severities,
    "extend-select": values.codes,
    "extends": values.strings,
}
"""What a file that is extended may set."""


def extend(settings: Settings, file: SettingsFile, unsaved: Mapping[str, bytes]) -> None:
    """Take in what the settings of a file extend, and the rules of the packages that they name. Raises `SettingsError`."""
    collected = _Collected(settings.root, unsaved)
    collected.extend(file, settings.extends, (file.path,))
    collected.add_rules(file, settings.rules)
    settings.rules = tuple(definition for definition, *_ in collected.rules.values())
    settings.severity = {**collected.severity, **settings.severity}
    settings.extend_select = (*collected.extend_select, *settings.extend_select)
    settings.sources = collected.sources
    checks = _plugins(settings, file, set(collected.rules)) if settings.plugins else ()
    codes = {rule.code for check in checks for rule in check.rules}
    settings.own_codes = frozenset(collected.rules) | codes
    settings.others = _maker(settings.rules, checks)
    for extended, value in collected.tables:
        with extended.located():
            check_codes(value, all_codes(settings), bool(settings.not_loaded))


def _plugins(settings: Settings, file: SettingsFile, taken: set[str]) -> tuple[Check, ...]:
    """The checks of the packages that the settings name; those that are turned off are noted."""
    from toolsurface_lint.own_rules.plugins import OFF, WrongPlugin, load_plugin, plugins_are_off

    assert file.table is not None
    checks: list[Check] = []
    not_loaded = []
    for index, name in enumerate(settings.plugins):
        path: Path = ("plugins",) if isinstance(file.table.value["plugins"], str) else ("plugins", index)
        if plugins_are_off():
            not_loaded.append(file.skipped(f"the plugin `{name}` is turned off by {OFF}", path))
            continue
        with file.located():
            try:
                found = load_plugin(name, taken)
            except WrongPlugin as wrong:
                raise InvalidSetting(str(wrong), path) from None
        checks.extend(found)
        taken.update(rule.code for check in found for rule in check.rules)
    settings.not_loaded = tuple(not_loaded)
    return tuple(checks)


def _maker(definitions: tuple[Definition, ...], checks: tuple[Check, ...]) -> Any:
    """What makes the checks of all rules that are not built in, once they are asked for."""

    @cache
    def make() -> tuple[Check, ...]:
        from toolsurface_lint.own_rules.checks import checks_of

        return (*checks_of(definitions), *checks)

    return make


class _Collected:
    """What was found in the files that settings extend."""

    def __init__(self, root: str, unsaved: Mapping[str, bytes]) -> None:
        self._root = root
        self._unsaved = unsaved
        self._size = 0
        self.rules: dict[str, tuple[Definition, SettingsFile]] = {}
        self.severity: dict[str, str] = {}
        self.extend_select: tuple[str, ...] = ()
        self.sources: dict[str, bytes] = {}
        self.tables: list[tuple[SettingsFile, dict[str, Any]]] = []

    def add_rules(self, file: SettingsFile, definitions: tuple[Definition, ...]) -> None:
        """Take in the rules of a file; a code that another one has, and too much of all, are errors at the rule."""
        for index, definition in enumerate(definitions):
            path: Path = ("rule", index, "code")
            with file.located():
                if definition.code in self.rules:
                    other = self.rules[definition.code][1]
                    raise InvalidSetting(f"`{definition.code}` is a rule of {other.shown} already", path)
                self._size += sum(compiled(pattern).size for pattern in patterns_of(definition))
                if self._size > MAX_PROGRAMS:
                    raise InvalidSetting("the patterns of all rules are too large together, from this rule on", path)
                if len(self.rules) == MAX_RULES:
                    raise InvalidSetting(f"there are more than {MAX_RULES} rules", path)
            self.rules[definition.code] = definition._replace(origin=file.shown), file

    def extend(self, file: SettingsFile, entries: tuple[str, ...], chain: tuple[str, ...], root: str = "") -> None:
        """Take in the files that a file extends; `chain` are those that led to it, `root` the folder that none may leave."""
        assert file.table is not None
        root = root or self._root
        for index, entry in enumerate(entries):
            path: Path = ("extends",) if isinstance(file.table.value["extends"], str) else ("extends", index)
            with file.located():
                found, below = _find(entry, path, os.path.dirname(file.path), root)
                if found in chain:
                    raise InvalidSetting(f"`{entry}` extends itself, directly or through others", path)
                if found in self.sources:
                    # Two sets may share a third one.
                    continue
                if len(self.sources) == MAX_FILES:
                    raise InvalidSetting(f"more than {MAX_FILES} files are extended", path)
                data = self._read(found, entry, path)
            self._take(SettingsFile(found, data), (*chain, found), below)

    def _read(self, found: str, entry: str, path: Path) -> bytes:
        data = self._unsaved.get(found)
        try:
            data = read_bytes(found, _MAX_SIZE) if data is None else data
        except OSError as error:
            raise InvalidSetting(f"cannot read `{entry}`: {error.strerror}", path) from None
        self.sources[found] = data
        return data

    def _take(self, file: SettingsFile, chain: tuple[str, ...], root: str) -> None:
        assert file.table is not None
        table = file.table.value
        with file.located():
            for key in table:
                if key not in EXTENDED and hasattr(Settings, values.attribute_of(key)):
                    kept = ", ".join(f"`{name}`" for name in EXTENDED)
                    raise InvalidSetting(f"a file that is extended cannot set `{key}`, only {kept}", (key,), key=True)
            read = values.fields(table, (), EXTENDED)
        self.extend(file, read.get("extends", ()), chain, root)
        self.add_rules(file, read.get("rules", ()))
        self.severity.update(read.get("severity", {}))
        self.extend_select = (*self.extend_select, *read.get("extend_select", ()))
        self.tables.append((file, table))


def patterns_of(definition: Definition) -> list[str]:
    """The regular expressions of a rule."""
    conditions = (*definition.where, *definition.asserts)
    tests = [test for condition in conditions for test in condition.tests]
    found = [str(test.value) for test in tests if test.name in ("pattern", "not-pattern")]
    return found if definition.fix is None else [*found, definition.fix.replace]


def _find(entry: str, path: Path, folder: str, root: str) -> tuple[str, str]:
    """The file that an entry of `extends` names, as an absolute path, and the folder that it must not leave."""
    if "://" in entry:
        raise InvalidSetting("nothing is fetched: name a file of the project, or a package that is installed", path)
    if ":" not in entry and entry.endswith(".toml"):
        steps = entry.replace("\\", "/").split("/")
        if os.path.isabs(entry) or steps[0] == "" or ".." in steps or "\0" in entry:
            raise InvalidSetting(f"`{entry}` must be a path below the folder of the settings", path)
        found = os.path.join(folder, *(step for step in steps if step not in ("", ".")))
        # A link may lead anywhere.
        if not is_below(disk.realpath(found), disk.realpath(root)):
            raise InvalidSetting(f"`{entry}` leads out of {os.path.basename(root) or root}", path)
        return os.path.abspath(found), root
    return _find_in_package(entry, path)


def _find_in_package(entry: str, path: Path) -> tuple[str, str]:
    """The same of an installed distribution, by its list of files: nothing of it is imported."""
    from importlib.metadata import PackageNotFoundError, distribution

    name, _, inside = entry.partition(":")
    if not _DISTRIBUTION.fullmatch(name):
        raise InvalidSetting(f"`{entry}` must be a path that ends with .toml, or the name of a package", path)
    try:
        found = distribution(name)
    except PackageNotFoundError:
        raise InvalidSetting(f"the package `{name}` is not installed beside toolsurface-lint", path) from None
    files = [file.as_posix() for file in found.files or ()]
    wanted = inside or OWN_FILE
    matching = [file for file in files if _is_of(file, wanted)]
    if not matching:
        near = did_you_mean(wanted, (file for file in files if file.endswith(".toml")))
        raise InvalidSetting(f"the package `{name}` has no file `{wanted}`{near}", path)
    if len(matching) > 1:
        raise InvalidSetting(f"the package `{name}` has several files `{wanted}`: {', '.join(sorted(matching))}", path)
    place = os.path.abspath(str(found.locate_file(matching[0])))
    top = os.path.abspath(str(found.locate_file(matching[0].partition("/")[0])))
    return place, top


def _is_of(file: str, wanted: str) -> bool:
    """Whether a file of a distribution is the one wanted: by its path, or by its path in the package that it is in."""
    return ".." not in file.split("/") and (file == wanted or file.partition("/")[2] == wanted)

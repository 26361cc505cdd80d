"""Rules of one's own: those that settings write as data, and those of packages that settings name.

A rule of the settings is a `Definition` (`language`): plain data, read from TOML by `project.settings.rules`. `checks` makes
a check of it, of the same kind as those of the built-in rules, so that everything else about it is as for them.
Nothing of a repository is run, and nothing here is imported where the settings have no such rule.
"""

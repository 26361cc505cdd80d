"""One run: analyse, suppress, report, fix."""

"""Facts about providers and models: literal data, each row with its source."""

"""Settings that differ from the defaults, one TOML file per experiment."""

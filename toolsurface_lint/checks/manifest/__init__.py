"""What manifests say of their packages."""

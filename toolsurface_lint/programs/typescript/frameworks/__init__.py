"""The frameworks of TypeScript and JavaScript, one file each, found by lying here."""

"""What we learn from: examples, vocabularies, lessons and the built-in tasks."""

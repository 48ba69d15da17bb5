//! Text protocols over stdin and stdout.

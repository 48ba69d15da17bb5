//! File and text formats: positions, problems and games, read and written.

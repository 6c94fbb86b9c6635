"""Shape of what is typed about rentals."""

"""A claim's two sides held to what it says as data: by normal form, walk by walk, and by value."""

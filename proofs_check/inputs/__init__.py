"""What comes from outside: errors in one line, files, plug-ins, and what a run is held to."""

"""How expectations are worked out: by pairings, by cumulants, by enumeration, by integrals."""

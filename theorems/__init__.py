"""Claims as data, their derivations and proofs. Nothing here samples."""

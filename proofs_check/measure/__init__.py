"""What the theorems say of a trained model, beside what it does."""

"""What programs are seen to do without running them: values, and the tools that frameworks make of them."""

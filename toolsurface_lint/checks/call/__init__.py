"""One recorded call against its tool and the policies; wherever the call was recorded."""

"""Runs the command beside a stand-in for S3: a test process itself reaches no network.

    python -m tests.bucket FOLDER ARGUMENT...

The files of FOLDER are in `s3://rains/data/`. Prints exit code, standard output and standard error as a JSON list.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path


def main(folder: str, *arguments: str) -> None:
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
    }
    client = boto3.client("s3")
    client.create_bucket(Bucket="rains")
    for file in sorted(Path(folder).iterdir()):
        client.put_object(Bucket="rains", Key=f"data/{file.name}", Body=file.read_bytes())
    command = [sys.executable, "-m", "toolsurface_lint", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    print(json.dumps([done.returncode, done.stdout, done.stderr]), flush=True)
    # The server has threads that wait.
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""What changes something outside of a program: SQL statements, HTTP methods, commands, methods of clients of cloud services.

Literal data, each row with its source. Only what cannot be otherwise: a POST may be a search, so it is not here.
"""

from typing import NamedTuple

from toolsurface_lint.knowledge import words

CHANGING_METHODS = words("PUT PATCH")
DELETING_METHODS = words("DELETE")
"""HTTP methods that ask the server to change a resource or to delete it: RFC 9110, sections 9.3.4 and 9.3.5; RFC 5789."""

KEPT_BRIEFLY = words("cache cached caches lock locks temp tmp")
WRITTEN_ALONG = KEPT_BRIEFLY | words(
    "access accessed analytics audit audits log logs metric metrics migration migrations queries query recent search "
    "searches stat stats telemetry trace traces usage version"
)
TRACKING_COLUMNS = words(
    "access accessed cache cached checked count counter counts fetched hit hits lock locked log logs polled recall refreshed "
    "run seen stat stats synced token tokens trace traces updated usage used view viewed views visit visited visits"
)
"""Words in the names of tables in which programs keep track of themselves, from which they delete and to which they add,
and in those of columns: a tool that reads writes there too. Not those of what people have too: events, jobs, visits.

A judgement of ours, 2026-11, and not a fact about any software: a word here only keeps a finding back.
"""


class Command(NamedTuple):
    """A program that is started, and which of its subcommands change or delete something; `ANY` for the program itself.

    `valued` are the options before the subcommand that are followed by a value. With one of those in `shows`, or of
    `ONLY_SHOWS`, a command only says what it would do.
    """

    program: str
    changes: frozenset[str]
    deletes: frozenset[str]
    source: str
    valued: frozenset[str] = frozenset()
    shows: frozenset[str] = frozenset()


ANY = frozenset(("",))
_NONE = frozenset[str]()
_COREUTILS = "the manual of GNU coreutils"

COMMANDS = {
    row.program: row
    for row in (
        Command("rm", _NONE, ANY, _COREUTILS),
        Command("rmdir", _NONE, ANY, _COREUTILS),
        Command("shred", _NONE, ANY, _COREUTILS),
        Command("mv", ANY, _NONE, _COREUTILS),
        Command("truncate", _NONE, ANY, _COREUTILS),
        # Not those that fetch, list, or do either: pull, clone, branch, tag, stash, checkout.
        Command(
            "git", words("add am cherry-pick commit merge mv push rebase reset restore revert"), words("clean rm"),
            "git-scm.com/docs", words("-C -c --git-dir --work-tree --namespace"), words("-n -nd -dn"),
        ),
        Command(
            "kubectl", words("annotate apply autoscale cordon create drain edit expose label patch replace run scale set taint"),
            words("delete"), "kubernetes.io/docs/reference/kubectl/generated",
            words("-n --namespace --context --kubeconfig --cluster --user -s --server --token"),
        ),
        Command(
            "helm", words("install rollback upgrade"), words("delete uninstall"), "helm.sh/docs/helm",
            words("-n --namespace --kube-context --kubeconfig"),
        ),
        Command(
            "docker", words("commit kill pause push rename restart start stop tag unpause update"), words("rm rmi"),
            "docs.docker.com/reference/cli/docker", words("-H --host -c --context --config -l --log-level"),
        ),
        Command(
            "terraform", words("apply import taint untaint"), words("destroy"),
            "developer.hashicorp.com/terraform/cli/commands",
        ),
        Command(
            "systemctl", words("disable enable kill mask reload restart start stop unmask"), _NONE,
            "freedesktop.org/software/systemd/man, systemctl(1)",
        ),
        Command("npm", words("publish deprecate"), words("unpublish"), "docs.npmjs.com/cli/commands"),
        Command("twine", words("upload"), _NONE, "twine.readthedocs.io"),
    )
}  # fmt: skip
"""By the name of the program."""

ONLY_SHOWS = words("--dry-run --dry-run=client --dry-run=server --help --version")


class CloudClient(NamedTuple):
    """The clients of a service: objects made by something below `package` whose name has one of `endings`.

    Their methods that change or delete something begin with `changes` and `deletes`; those in `reads` do not, all the same.
    """

    package: str
    endings: tuple[str, ...]
    changes: tuple[str, ...]
    deletes: tuple[str, ...]
    source: str
    reads: tuple[str, ...] = ()


CLOUD_CLIENTS = (
    CloudClient(
        "boto3", ("client", "resource"),
        ("put_", "create_", "update_", "modify_", "start_instances", "stop_instances", "reboot_", "attach_", "detach_"),
        ("delete_", "terminate_", "deregister_"),
        "boto3.amazonaws.com/v1/documentation/api/latest",
        ("create_presigned", "create_session", "create_query"),
    ),
    CloudClient(
        "google.cloud", ("Client",), ("create_", "update_", "insert", "patch"), ("delete",),
        "cloud.google.com/python/docs/reference", ("create_session",),
    ),
    CloudClient(
        "azure", ("Client",), ("begin_create", "begin_update", "create_", "update_", "upload_blob", "set_secret"),
        ("begin_delete", "delete_"), "learn.microsoft.com/python/api/overview/azure",
    ),
    CloudClient(
        "kubernetes", ("Api",), ("create_", "patch_", "replace_"), ("delete_",),
        "github.com/kubernetes-client/python, README of the package kubernetes",
        ("create_self_subject", "create_subject_access", "create_token_review", "create_namespaced_local_subject"),
    ),
)  # fmt: skip

use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

struct ToolsurfaceLint;

impl zed::Extension for ToolsurfaceLint {
    fn new() -> Self {
        Self
    }

    fn language_server_command(
        &mut self,
        _: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        Ok(Command {
            command: worktree
                .which("toolsurface-lint")
                .ok_or("toolsurface-lint is not on the PATH")?,
            args: vec!["server".into()],
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(ToolsurfaceLint);

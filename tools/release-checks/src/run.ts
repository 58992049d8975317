import { execFile } from 'node:child_process';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end and never throws on a failing exit code. */
export function run(
  program: string,
  parameters: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', ...variables };
    execFile(program, parameters, { cwd, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      let code: number;
      if (error === null) code = 0;
      else if (typeof error.code === 'number') code = error.code;
      else code = 1;
      resolve({
        code,
        stdout,
        stderr: error !== null && typeof error.code !== 'number' ? `${error.message}\n${stderr}` : stderr,
      });
    });
  });
}

/** Runs a program; throws with its whole output if it fails. */
export async function runOrThrow(
  program: string,
  parameters: readonly string[],
  cwd: string,
): Promise<string> {
  const { code, stdout, stderr } = await run(program, parameters, cwd);
  if (code !== 0)
    throw new Error(`${program} ${parameters.join(' ')} exited with ${code}\n${stdout}\n${stderr}`);
  return stdout;
}

/**
 * Runs commands in a shell that knows nothing of the test
 * runner around it, and stops at the first that fails.
 */
export function runShell(commands: string, cwd: string): Promise<Outcome> {
  const own = Object.keys(process.env).filter((name) =>
    /^(VITEST|NODE_ENV|TEST$|DEV$|PROD$|LETHE_)/u.test(name),
  );
  return run('sh', ['-ec', `${own.map((name) => `unset ${name}`).join('; ')}\n${commands}`], cwd);
}

import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';

/**
 * A named pipe that this process holds open for reading: the kernel lets go of it when the process ends, however it ends, and
 * any process of the machine that reaches the file can ask, from another container too.
 */
export interface HeldPipe {
  /** Closes and removes the pipe. */
  release(): void;
}

/** Makes a pipe and holds it; `null` where the platform or the file system has none. */
export function holdPipe(path: string): HeldPipe | null {
  // Node has no call for it. The command is part of every POSIX system.
  if (process.platform === 'win32' || !isMade(path)) return null;
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return {
    release() {
      closeSync(reader);
      rmSync(path, { force: true });
    },
  };
}

function isMade(path: string): boolean {
  try {
    return spawnSync('mkfifo', ['-m', '600', '--', path], { stdio: 'ignore' }).status === 0;
  } catch {
    // Node's permission model refuses to start programs.
    return false;
  }
}

/** Whether a process of this machine holds the pipe; `undefined` where that cannot be told. */
export function isHeld(path: string): boolean | undefined {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENXIO' ? false : undefined;
  }
}

import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';

/**
 * A named pipe that this process keeps open for reading. The kernel closes it when the process ends for any
 * reason, and every process of the machine that can reach the file can check it, also from another container.
 */
export interface HeldPipe {
  /** Closes and removes the pipe. */
  release(): void;
}

/** Makes and opens a pipe; `null` if the platform or the file system has none. */
export function holdPipe(path: string): HeldPipe | null {
  // Node has no call for this; the command is part of every POSIX system.
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
    // Node's permission model may forbid child processes.
    return false;
  }
}

/** Whether a process of this machine holds the pipe; `undefined` if unknown. */
export function isHeld(path: string): boolean | undefined {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENXIO' ? false : undefined;
  }
}

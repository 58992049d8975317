import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identity of a process that no later process can share. `null` means not available on this platform. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in clock ticks since boot; it distinguishes processes with a reused number. */
  readonly start: string | null;
  /** Machine id: equal in all containers of the machine, different after a reboot. */
  readonly machine: string | null;
  /** PID namespace; containers have their own. */
  readonly namespace: string | null;
}

/** This process. */
export function thisProcess(): ProcessIdentity {
  const machine =
    process.platform === 'linux'
      ? orNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
      : hostname();
  return {
    pid: process.pid,
    start: startOf(process.pid),
    machine,
    namespace: orNull(() => readlinkSync('/proc/self/ns/pid')),
  };
}

/** Start time of a process, on platforms with `/proc`. */
export function startOf(pid: number): string | null {
  return orNull(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program name is in brackets and may contain any characters; the start time is the 20th field after
    // it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  });
}

/** Whether a process with this number runs in this namespace. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

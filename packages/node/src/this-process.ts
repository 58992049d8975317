import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who a process is, told so that no later process is taken for it. `null` is what a platform does not tell. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks between the start of the machine and that of the process: a number given out again has another. */
  readonly start: string | null;
  /** The running machine: the same in all its containers, another after a reboot. */
  readonly machine: string | null;
  /** The namespace that `pid` counts in; containers have their own. */
  readonly namespace: string | null;
}

/** This process. */
export function thisProcess(): ProcessIdentity {
  const machine = process.platform === 'linux' ? told(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) : hostname();
  return { pid: process.pid, start: startOf(process.pid), machine, namespace: told(() => readlinkSync('/proc/self/ns/pid')) };
}

/** When the process of that number was started, on platforms with `/proc`. */
export function startOf(pid: number): string | null {
  return told(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name stands in brackets and may hold anything; the start is the 20th field after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!;
  });
}

/** Whether a process of that number runs in this namespace. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function told<T>(read: () => T): T | null {
  try { return read(); } catch { return null; }
}

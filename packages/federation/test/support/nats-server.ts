import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { freePort } from './free-port.mjs';

/** Whether the program `nats-server` is installed: `apt-get install nats-server`. */
export const hasNatsServer = spawnSync('nats-server', ['--version']).status === 0;

/** A `nats-server` of this test alone. */
export interface NatsServer {
  readonly url: string;
  /** Kills it, as by `kill -9`. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): void;
}

export async function natsServer(options: readonly string[] = []): Promise<NatsServer> {
  const port = await freePort();
  let child: ChildProcess;
  const start = (): void => {
    child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), ...options], { stdio: 'ignore' });
  };
  start();
  return {
    url: `nats://127.0.0.1:${port}`,
    start,
    kill: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';

/** Whether the program `nats-server` is installed: `apt-get install nats-server`. */
export const hasNatsServer = spawnSync('nats-server', ['--version']).status === 0;

/** A port of this machine that is free now. */
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

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

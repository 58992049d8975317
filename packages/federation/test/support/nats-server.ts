import { spawn, spawnSync, type ChildProcess } from 'node:child_process';

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

/** It takes a port of its own choice, and is ready. */
export async function natsServer(options: readonly string[] = []): Promise<NatsServer> {
  let child: ChildProcess;
  const started = (port: number): ChildProcess =>
    spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), ...options], {
      stdio: ['ignore', 'ignore', port < 0 ? 'pipe' : 'ignore'],
    });
  const port = await new Promise<number>((resolve, reject) => {
    child = started(-1);
    let log = '';
    child.stderr?.on('data', (text) => {
      log += String(text);
      const [, found] = /client connections on \S+:(\d+)[^]*Server is ready/u.exec(log) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
    child.once('exit', () => reject(new Error(`nats-server ended: ${log}`)));
  });
  return {
    url: `nats://127.0.0.1:${port}`,
    start() {
      child = started(port);
    },
    kill: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

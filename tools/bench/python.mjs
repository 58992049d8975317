import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const server = fileURLToPath(new URL('reference/server.py', import.meta.url));
const candidates = ['python3', '/usr/bin/python3', 'python'];

/** @typedef {{ readonly command: string, readonly numpy: string }} Python */

/**
 * The first Python with numpy.
 * @returns {Python | null}
 */
export function findPython() {
  for (const command of candidates) {
    const { status, stdout } = spawnSync(command, ['-c', 'import numpy; print(numpy.__version__)'], {
      encoding: 'utf8',
    });
    if (status === 0) return { command, numpy: stdout.trim() };
  }
  return null;
}

/**
 * A reference process that waits between requests.
 * @param {Python} python
 * @param {number} threads
 */
export function startReference({ command }, threads) {
  const count = String(threads);
  const child = spawn(command, ['-B', '-u', server], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, OPENBLAS_NUM_THREADS: count, OMP_NUM_THREADS: count, MKL_NUM_THREADS: count },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  /**
   * @param {Readonly<Record<string, unknown>>} message
   * @returns {Promise<any>}
   */
  const ask = async (message) => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error('the reference process ended');
    const answer = JSON.parse(value);
    if (answer.error !== undefined) throw new Error(`reference: ${answer.error}`);
    return answer;
  };
  return { ask, stop: () => void child.stdin.end() };
}

/** @typedef {ReturnType<typeof startReference>} Reference */

/**
 * `npm run release:rehearsal`: publishes every package to a registry of its own on this machine, and installs
 * each alone and all together from it. Packages of others come from the usual registry.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lacking } from './publishable.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'lethe-rehearsal-'));
/** @type {Map<string, Record<string, any>>} */
const published = new Map();
/** @type {Map<string, Buffer>} */
const tarballs = new Map();

const server = createServer((request, response) => {
  /** @type {(status: number, body: unknown) => void} */
  const answer = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const name = decodeURIComponent((request.url ?? '/').slice(1));
  const tarball = tarballs.get(name);
  if (tarball !== undefined) return void response.end(tarball);
  if (request.method !== 'PUT') {
    const known = published.get(name);
    return known === undefined ? answer(404, { error: 'no such package' }) : answer(200, known);
  }
  /** @type {Buffer[]} */
  const parts = [];
  request
    .on('data', (part) => parts.push(part))
    .on('end', () => {
      const { _attachments: attachments, ...document } = JSON.parse(Buffer.concat(parts).toString());
      for (const version of Object.values(document.versions)) {
        const [[file, { data }]] = /** @type {[string, { data: string }][]} */ (Object.entries(attachments));
        tarballs.set(`-/${file}`, Buffer.from(data, 'base64'));
        version.dist.tarball = `${address}/-/${encodeURIComponent(file)}`;
      }
      published.set(name, document);
      answer(201, { ok: true });
    });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const address = `http://127.0.0.1:${port}`;
const config = join(folder, 'npmrc');
writeFileSync(config, `@lethe:registry=${address}/\n//127.0.0.1:${port}/:_authToken=rehearsal\n`);

/** @type {(args: readonly string[], cwd: string) => Promise<unknown>} */
const npm = (args, cwd) => run('npm', [...args, '--userconfig', config, '--no-audit', '--no-fund'], { cwd });
/** @type {(folder: string) => string} */
const nameOf = (one) => JSON.parse(readFileSync(join(root, 'packages', one, 'package.json'), 'utf8')).name;

try {
  const names = readdirSync(join(root, 'packages')).map(nameOf);
  for (const name of names) {
    await npm(['publish', '--workspace', name], root);
    console.log(`published ${name}`);
  }
  for (const [number, wanted] of [...names.map((name) => [name]), names].entries()) {
    const place = join(folder, `consumer-${number}`);
    mkdirSync(place);
    writeFileSync(join(place, 'package.json'), '{ "private": true, "type": "module" }\n');
    await npm(['install', '--prefer-offline', ...wanted], place);
    const program = wanted.map((name) => `await import('${name}');`).join('\n');
    await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: place });
    console.log(`installed and imported ${wanted.length === 1 ? `${wanted[0]} alone` : 'all together'}`);
  }
  for (const line of lacking(join(root, 'packages'))) console.log(`before a release: ${line}`);
} finally {
  server.close();
  rmSync(folder, { recursive: true, force: true });
}

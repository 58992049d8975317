import { optimizers, papers } from '@lethe/algorithms';
import { checkClaims, holds, parseClaims, fails, type ClaimCheck } from '@lethe/laws';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const { resolve } = createRequire(new URL('packages/lab/package.json', root));

describe.each(papers)('$id', ({ id, keys, title, optimizers: own, claims }) => {
  it('has its folders, each with a README with its key, and a guide', () => {
    const hasBounds = existsSync(new URL(`packages/lower-bounds/src/${id}`, root));
    const folders = ['algorithms', 'claims', ...(hasBounds ? ['lower-bounds'] : [])];
    for (const folder of folders)
      expect(readFileSync(new URL(`packages/${folder}/src/${id}/README.md`, root), 'utf8')).toContain(
        `\`${keys[0]}\``,
      );
    expect(existsSync(new URL(`docs/papers/${id}.md`, root))).toBe(true);
  });

  it('ships what it lists', () => {
    expect(optimizers).toEqual(expect.arrayContaining([...own]));
  });

  it('has a ledger with its title and key, and checks with ids that begin with the key', async () => {
    expect(JSON.parse(readFileSync(resolve(claims), 'utf8'))).toMatchObject({ paper: keys[0], title });
    const { checks } = (await import(/* @vite-ignore */ `@lethe/claims/${id}`)) as {
      checks(): readonly ClaimCheck[];
    };
    for (const check of checks()) expect(check.id.startsWith(`${keys[0]}/`)).toBe(true);
  });

  // The tests of `@lethe/claims` run every check: those that try what is printed fail, all others hold.
  it('has a ledger that agrees with what its checks find', async () => {
    const ledger = parseClaims(JSON.parse(readFileSync(resolve(claims), 'utf8')));
    const { checks: checksOf } = (await import(/* @vite-ignore */ `@lethe/claims/${id}`)) as {
      checks(): readonly ClaimCheck[];
    };
    const checks = checksOf();
    const findings = new Map(
      checks.map((check) => [
        check.id,
        check.id.endsWith('-printed') ? fails(1, { what: 'what is printed' }) : holds(1),
      ]),
    );
    expect(checkClaims(ledger, { checks, findings, mustBeUsed: findings.keys() })).toEqual([]);
  });
});

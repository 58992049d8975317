import { optimizers } from '@lethe/algorithms';
import { papers } from '@lethe/claims';
import { lowerBounds } from '@lethe/lower-bounds';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url), { resolve } = createRequire(new URL('packages/lab/package.json', root));

describe.each(papers)('$id', ({ id, keys, title, optimizers: own, lowerBounds: bounds, claims, checks }) => {
  it('has its folders, each with a README with its key, and a guide', () => {
    const folders = ['algorithms', 'claims', ...(bounds.length > 0 ? ['lower-bounds'] : [])];
    for (const folder of folders) expect(readFileSync(new URL(`packages/${folder}/src/${id}/README.md`, root), 'utf8')).toContain(`\`${keys[0]}\``);
    expect(existsSync(new URL(`docs/papers/${id}.md`, root))).toBe(true);
  });

  it('ships what it lists', () => {
    expect(own.length).toBeGreaterThan(0);
    expect(optimizers).toEqual(expect.arrayContaining([...own]));
    expect(lowerBounds).toEqual(expect.arrayContaining([...bounds]));
  });

  it('has a ledger with its title and key, and checks with ids that begin with the key', () => {
    expect(JSON.parse(readFileSync(resolve(claims), 'utf8'))).toMatchObject({ paper: keys[0], title });
    for (const check of checks()) expect(check.id.startsWith(`${keys[0]}/`)).toBe(true);
  });
});

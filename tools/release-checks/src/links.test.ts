import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageNames, root } from './repository.js';

const markdownIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules') && !name.startsWith('site'))
    .map((name) => join(root, folder, name));

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'].map((name) => join(root, name)),
  ...markdownIn('docs'),
  ...packageNames.map((name) => join(root, 'packages', name, 'README.md')),
  ...packageNames.flatMap((name) => markdownIn(`packages/${name}/src`)),
];

/** Text without blocks and spans of code. */
const prose = (path: string): string =>
  readFileSync(path, 'utf8')
    .replace(/^```[^]*?^```/gmu, '')
    .replaceAll(/`[^`\n]*`/gu, 'code');

/** Anchors of a page's headings, as GitHub and typedoc name them. */
const anchorsOf = (path: string): ReadonlySet<string> =>
  new Set(
    [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gmu)].map(([, title]) =>
      title
        .trim()
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

function deadLinks(path: string): readonly string[] {
  const links = [...prose(path).matchAll(/\]\(([^)\s]+)\)/gu)].map(([, to]) => to);
  return links.filter((to) => {
    if (/^[a-z]+:/u.test(to)) return false;
    const [file, anchor] = to.split('#');
    const target = file === '' ? path : resolve(dirname(path), file);
    if (!existsSync(target)) return true;
    return anchor !== undefined && statSync(target).isFile() && !anchorsOf(target).has(anchor);
  });
}

describe('links of documents', () => {
  it('lead to files and headings that are there', () => {
    expect(pages.length).toBeGreaterThan(60);
    const dead = pages.flatMap((path) => deadLinks(path).map((to) => `${relative(root, path)}: ${to}`));
    expect(dead).toEqual([]);
  });

  it('and every guide is a page of the site', () => {
    const { projectDocuments } = JSON.parse(readFileSync(join(root, 'typedoc.json'), 'utf8'));
    const guides = readdirSync(join(root, 'docs/guide')).filter((name) => name.endsWith('.md'));
    expect(projectDocuments).toEqual(expect.arrayContaining(guides.map((name) => `docs/guide/${name}`)));
  });

  it('of a package README stay within its package, since it is shown without the others', () => {
    const outside = packageNames.flatMap((name) =>
      [...prose(join(root, 'packages', name, 'README.md')).matchAll(/\]\((\.\.\/[^)]*)\)/gu)].map(
        ([, to]) => `${name}: ${to}`,
      ),
    );
    expect(outside).toEqual([]);
  });
});

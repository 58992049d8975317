import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { main } from '../src/cli/main.js';
import { labFolder, type LabFolder } from './support/lab-folder.js';

let folder: LabFolder;
let before: string | undefined;
beforeEach(() => {
  folder = labFolder();
  before = process.env['LETHE_HOME'];
  process.env['LETHE_HOME'] = folder.file('home');
  mkdirSync(folder.file('home'), { mode: 0o700 });
});
afterEach(() => {
  if (before === undefined) delete process.env['LETHE_HOME'];
  else process.env['LETHE_HOME'] = before;
  folder.remove();
});

/** Answers of a user, in order; a question beyond them fails. */
async function lethe(args: readonly string[], answers?: readonly string[], signal?: AbortSignal) {
  let out = '';
  let error = '';
  const asked: string[] = [];
  const code = await main(
    args,
    {
      out: (text) => (out += text),
      error: (text) => (error += text),
      prompt:
        answers === undefined
          ? null
          : (question) => {
              asked.push(question);
              const answer = answers[asked.length - 1];
              return answer === undefined ? Promise.reject(new Error(question)) : Promise.resolve(answer);
            },
    },
    signal,
  );
  return { code, out, error, asked };
}

/** Records whose label is `yes` the likelier the higher the age; every tenth age is missing. */
function records(rows = 600, last = 'no'): string {
  const lines = Array.from({ length: rows }, (_, i) => {
    const age = 18 + ((i * 37) % 73);
    const late = (i * 7919) % 73 < age - 18 ? 'yes' : 'no';
    return `${i},${i % 10 === 3 ? '' : age},${i % 2 === 0 ? 'Rome' : 'Oslo'},${i === rows - 1 ? last : late}`;
  });
  return `id,age,city,late\n${lines.join('\n')}\n`;
}

const write = (name: string, text: string): string => {
  const path = folder.file(name);
  writeFileSync(path, text);
  return path;
};
const quick = ['--epsilon', '2', '--set', 'steps=20', '--set', 'rate=0.5'];
const words = [
  '--target',
  'no|yes',
  '--column',
  'age=18..90',
  '--column',
  'city=Rome|Oslo',
  '--column',
  'id=skip',
];

describe('a model’s life', () => {
  test('asks what columns hold, shows the plan, asks, and writes model and schema', async () => {
    const data = write('c.csv', records());
    const model = folder.file('model.json');
    const args = ['train', data, '--label', 'late', '--out', model, ...quick];
    const { code, out, error, asked } = await lethe(args, [
      'skip',
      'old',
      '18..90',
      'Rome|Oslo',
      'no|yes',
      'y',
    ]);
    expect([code, error.includes('not used')]).toEqual([0, true]);
    expect(asked).toEqual([
      '  id: ',
      '  age: ',
      '  age: ',
      '  city: ',
      '  late: ',
      'Train, and spend epsilon 2? [y/N] ',
    ]);
    expect(error).toContain("'old' is not understood");
    expect(out).toMatch(/epsilon +at most 2\.000 at delta 1e-6, replace-one/u);
    const schema = readFileSync(folder.file('c.schema.yaml'), 'utf8');
    expect(schema).toContain('lower: 18');
    expect(schema).toContain('"no"');
    expect(existsSync(`${model}.part`)).toBe(false);

    const predicted = await lethe([
      'predict',
      model,
      write('new.csv', 'id,age,city\n7,19,Rome\n8,89,Oslo\n9,,Oslo\n'),
      '--keep',
      'id',
    ]);
    const [head, young, old, gap, ...rest] = predicted.out.trim().split('\n');
    expect([head, rest]).toEqual(['id,predicted late,probability', []]);
    expect(Number(young.split(',')[2])).toBeLessThan(Number(old.split(',')[2]));
    expect(gap).toMatch(/^9,(?:yes|no),0\.\d+$/u);

    const wrong = await lethe(['predict', model, write('bad.csv', 'id,age,city\n7,old,Rome\n')]);
    expect(wrong.error).toMatch(/bad\.csv: record 1 \(line 2\), column 'age': old .*fixed in the model\n$/u);
    const lacking = await lethe(['predict', model, write('less.csv', 'id,ages\n7,1\n')]);
    expect(lacking.error).toMatch(/has no column 'age'; is 'ages' it\?\n.*has no column 'city'\n/u);

    const blind = await lethe(['evaluate', model, write('blind.csv', 'id,age,city\n7,19,Rome\n')]);
    expect(blind.error).toMatch(
      /blind\.csv has no column 'late', which holds what is predicted\nan evaluation compares predictions/u,
    );

    const exact = await lethe(['evaluate', model, data, '--held-out']);
    expect(exact.out).toMatch(/NOT PRIVATE[^]*accuracy +0\.[67]/u);
    const secret = await lethe(['evaluate', model, data, '--held-out', '--epsilon', '8'], ['y']);
    expect(secret.out).toMatch(
      /\nprivate\n[^]*accuracy .*± [^]*± is one standard deviation[^]*Certificate of this evaluation/u,
    );
    expect((await lethe(['inspect', model])).out).toMatch(
      /Weights[^]*age +-?\d[^]*Certificate[^]*epsilon +at most 2\.000/u,
    );
    expect((await lethe(['ledger', data])).out).toContain('cost less than the sum of their epsilons');
    const ledger = await lethe(['ledger', data, '--json']);
    const [{ runs, spent }] = JSON.parse(ledger.out) as [
      { runs: { run: string }[]; spent: { upper: number } },
    ];
    expect(runs.map(({ run }) => run.replace(/-.*/u, ''))).toEqual(['train', 'evaluate']);
    expect(spent.upper).toBeGreaterThan(2);

    const again = await lethe([...args, '--yes']);
    expect(again).toMatchObject({ code: 2, error: expect.stringContaining('--again') });
    const misspelt = await lethe([...args, '--label', 'lat', '--yes']);
    expect(misspelt).toMatchObject({ code: 2, error: expect.stringMatching(/'lat'/u) });
    const second = await lethe(['train', data, '--out', folder.file('b.json'), ...quick], ['y']);
    expect(second).toMatchObject({ code: 0, asked: ['Train, and spend epsilon 2? [y/N] '] });
    expect(second.out).toContain('3 runs, if no run was chosen after the answers of another');
  });

  test('writes a kept instant as the file has it', async () => {
    const rows = Array.from(
      { length: 300 },
      (_, i) => `2020-01-0${1 + (i % 9)} ${10 + (i % 12)}:00,${i % 2 === 0 ? 'no' : 'yes'}`,
    );
    const model = folder.file('t.json');
    const args = [
      'train',
      write('t.csv', ['at,late', ...rows, ''].join('\n')),
      '--label',
      'late',
      '--out',
      model,
      '--yes',
    ];
    expect((await lethe([...args, '--column', 'at=time:hour', '--target', 'no|yes', ...quick])).code).toBe(0);
    const { out } = await lethe(['predict', model, write('n.csv', 'at\n2021-03-04 05:06\n'), '--keep', 'at']);
    expect(out).toMatch(/^at,predicted late,probability\n2021-03-04 05:06,/u);
  });

  test('spends nothing without a yes, and for a dry run', async () => {
    const data = write('c.csv', records());
    const args = ['train', data, '--label', 'late', ...words, '--out', folder.file('m.json'), ...quick];
    expect(await lethe(args, ['n'])).toMatchObject({
      code: 1,
      error: expect.stringContaining('Nothing was spent'),
    });
    expect(await lethe([...args, '--dry-run'])).toMatchObject({ code: 0, out: '' });
    expect(await lethe(args)).toMatchObject({ code: 2, error: expect.stringContaining('--yes') });
    expect(await lethe(['ledger', folder.file('home')])).toMatchObject({ code: 2 });
    expect(existsSync(folder.file('m.json'))).toBe(false);
  });

  test('a second label of a file takes the columns of the first, and leaves its schema alone', async () => {
    const data = write('c.csv', records(50));
    const args = ['train', data, '--out', folder.file('m.json'), '--dry-run', ...quick];
    expect((await lethe([...args, '--label', 'late', ...words])).code).toBe(0);
    const first = readFileSync(folder.file('c.schema.yaml'), 'utf8');
    expect((await lethe([...args, '--label', 'lat'])).error).toContain("no column 'lat'; is 'late' meant?");
    const bare = await lethe([...args, '--label', 'age', '--target', '18..90']);
    expect(bare.error).toContain("  --column 'late=WORDS'\n  where WORDS are 18..90");
    const { code, error, asked } = await lethe([...args, '--label', 'age'], ['no|yes', '18..90']);
    expect([code, asked]).toEqual([0, ['  late: ', '  age: ']]);
    expect(error).toMatch(/from +city, late \(.*not used +id\n/su);
    const second = readFileSync(folder.file('c.age.schema.yaml'), 'utf8');
    expect(second).toMatch(/Oslo[^]*late:/u);
    expect(readFileSync(folder.file('c.schema.yaml'), 'utf8')).toBe(first);
    const again = await lethe([...args, '--label', 'age']);
    expect(again).toMatchObject({ code: 0, error: expect.stringContaining('schema: ') });
    const same = await lethe([...args, '--label', 'age', '--target', '18..90', '--column', 'late=no|yes']);
    expect(same).toMatchObject({ code: 0, error: expect.stringContaining('c.age.schema.yaml\n') });
    expect(same.error).not.toContain('changed by');
    const other = await lethe([...args, '--label', 'age', '--column', 'late=skip']);
    expect(other.error).toMatch(
      /c\.age\.schema\.yaml\n {2}changed by --column and --target\n[^]*not used +id, late\n/u,
    );
    expect(readFileSync(folder.file('c.age.schema.yaml'), 'utf8')).toMatch(/Oslo/u);
    const spent = await lethe(['ledger', data]);
    expect(spent).toMatchObject({ code: 0, out: expect.stringContaining('c.csv: nothing was spent') });
  });

  test('answers are kept where the records do not fit them', async () => {
    const data = write('c.csv', records(50));
    const args = ['train', data, '--label', 'late', '--out', folder.file('m.json'), '--dry-run', ...quick];
    const failed = await lethe(args, ['skip', '18..90', 'Rome|Oslo', 'no|yess']);
    expect(failed).toMatchObject({ code: 2, error: expect.stringContaining('none of the declared classes') });
    expect(failed.error).toContain(`Wrote your answers to ${folder.file('c.schema.yaml')}`);
    const { code, asked, error } = await lethe([...args, '--target', 'no|yes'], []);
    expect([code, asked, error.includes('changed by --column and --target')]).toEqual([0, [], true]);
  });

  test('a column without a name is not asked for, and not used', async () => {
    const text = records(50).replace('id,age', ',age');
    const args = ['train', write('c.csv', text), '--out', folder.file('m.json'), '--dry-run', ...quick];
    const { code, error, asked } = await lethe([...args, '--label', 'late', ...words.slice(0, 6)]);
    expect([code, asked]).toEqual([0, []]);
    expect(error).toMatch(/not used +a column without a name\n/u);
  });

  test('an error takes the place of the line of progress', async () => {
    const data = write('c.csv', records(50, 'perhaps'));
    const { isTTY } = process.stderr;
    process.stderr.isTTY = true;
    try {
      const args = ['train', data, '--label', 'late', '--out', folder.file('m.json'), ...words, ...quick];
      expect((await lethe(args)).error).toContain('planning\r\u001B[Klethe train: record ');
    } finally {
      process.stderr.isTTY = isTTY;
    }
  });

  test('labels that are written alike in the name of a file have schemas of their own', async () => {
    const data = write('alike.csv', `x,a b,a-b\n${'1,0,1\n2,1,0\n'.repeat(30)}`);
    const args = ['train', data, '--out', folder.file('m.json'), '--dry-run', ...quick];
    const x = ['--column', 'x=0..10'];
    const first = ['--label', 'x', '--target', '0..10', '--column', 'a b=0..1', '--column', 'a-b=0..1'];
    expect((await lethe([...args, ...first])).code).toBe(0);
    for (const [label, other] of [
      ['a b', 'a-b'],
      ['a-b', 'a b'],
    ]) {
      const given = ['--label', label, '--target', '0|1', ...x, '--column', `${other}=0..1`];
      expect((await lethe([...args, ...given])).code).toBe(0);
    }
    const again = await lethe([...args, '--label', 'a b']);
    expect(again).toMatchObject({ code: 0, error: expect.stringContaining('schema: ') });
  });

  test('names a missing file before a missing option', async () => {
    expect((await lethe(['train'])).error).toMatch(/DATA is missing\n.*--epsilon is missing/u);
  });

  test('names what is meant: an option, a method, the order of two files', async () => {
    const data = write('c.csv', records());
    const args = ['train', data, '--label', 'late', ...words, ...quick, '--dry-run'];
    expect((await lethe([...args, '--set', 'stps=4'])).error).toMatch(/--set stps=4: .*write 'steps'/u);
    expect((await lethe([...args, '--method', 'sgd'])).error).toMatch(
      /no optimizer 'sgd'; is 'dp-sgd' or .* meant\? lethe plugins --kind optimizer/u,
    );
    expect((await lethe(['predict', data, 'model.json'])).error).toContain(
      `the model comes first: lethe predict model.json ${data}`,
    );
  });

  test('reads fields that are separated otherwise where it is told so, and suggests it', async () => {
    const data = write('semicolons.csv', records(60).replaceAll(',', ';'));
    const model = folder.file('semicolons.json');
    const args = ['train', data, '--label', 'late', ...words, ...quick, '--out', model, '--yes'];
    const suggested = expect.stringContaining("give --delimiter ';'") as string;
    expect(await lethe(args)).toMatchObject({ code: 2, error: suggested });
    const given = ['--delimiter', ';'];
    const trained = await lethe([...args, ...given]);
    expect(trained).toMatchObject({ code: 0 });
    expect(trained.error).toContain(`lethe predict ${model} NEW.csv --delimiter ';'`);
    for (const command of [
      ['predict', model, data, '--keep', 'id'],
      ['evaluate', model, data],
    ]) {
      expect(await lethe(command)).toMatchObject({ code: 2, error: suggested });
      expect(await lethe([...command, ...given])).toMatchObject({ code: 0 });
    }
    expect((await lethe(['predict', model, data, '--delimiter', ';;'])).error).toMatch(/one character/u);
    expect((await lethe(['predict', model, `${data}.parquet`, ...given])).error).toMatch(/leave it out/u);
  });

  test('says what is likely not meant: a list with misspelt values, and a budget for noise', async () => {
    const data = write('c.csv', records(60));
    const args = ['train', data, '--label', 'late', '--target', 'no|yes', '--column', 'id=skip', '--dry-run'];
    const misspelt = ['--column', 'age=0..1', '--column', 'city=Rmoe|Oslo', '--epsilon', '0.01', '--json'];
    const { code, out, error } = await lethe([...args, ...misspelt]);
    expect(code).toBe(0);
    expect(error).toMatch(/epsilon 0\.01 on 60 records with 4 features is likely too little/u);
    expect(error).toMatch(
      /for you alone and not private:\n.*'age': 54 of 54 values are outside.*\n.*'Rome' for 'Rmoe'\n/u,
    );
    expect(out).not.toMatch(/Rome|of 54|private/u);
    // A parameter that no method takes is said before a record is read.
    const early = await lethe([...args, ...misspelt, '--set', 'rate=2']);
    expect(early.error).toMatch(/--set rate=2: .*must be at most 1/u);
    expect(early.error).not.toContain('reading the records');
  });

  test('a private clip norm and noise beyond what it measures are said', async () => {
    const file = write('few.csv', records(40));
    const model = folder.file('few.json');
    const args = [
      'train',
      file,
      '--label',
      'late',
      ...words,
      ...quick,
      '--clip',
      'quantile',
      '--out',
      model,
      '--yes',
    ];
    expect(await lethe(args)).toMatchObject({ code: 0 });
    const { out } = await lethe(['inspect', model]);
    expect(out).toMatch(/scaled down to norm [\d.]+, a private 60 % quantile/u);
    // The quantile is charged as a run of its own, and belongs to the training.
    expect(out).toMatch(/have spent epsilon at most .* in all, over 1 run/u);
    const [{ runs, spent }] = JSON.parse((await lethe(['ledger', file, '--json'])).out) as [
      { runs: { run: string; spent: object }[]; spent: object },
    ];
    expect(runs).toMatchObject([{ run: expect.stringMatching(/^train[^/]*$/u) as string, spent }]);
    const evaluation = await lethe(['evaluate', model, file, '--held-out', '--epsilon', '0.1', '--yes']);
    expect(evaluation.out).toContain('The noise is larger than what it measures');
    // Numbers, whose errors are measured, as well as classes.
    const ages = write('ages.csv', records(40));
    const years = ['--label', 'age', '--target', '18..90', '--column', 'city=Rome|Oslo'];
    const rest = ['--column', 'id=skip', '--column', 'late=no|yes'];
    const byYears = folder.file('ages.json');
    expect(
      await lethe(['train', ages, ...years, ...rest, ...quick, '--out', byYears, '--yes']),
    ).toMatchObject({
      code: 0,
    });
    const hidden = await lethe(['evaluate', byYears, ages, '--held-out', '--epsilon', '0.1', '--yes']);
    expect(hidden.out).toContain('The noise is larger than what it measures');
  });

  test('warns of a list of texts for numbers, and of a plan that takes very long', async () => {
    const data = write('numbers.csv', records(60));
    const columns = ['--column', 'age=young|old', '--column', 'city=Rome|Oslo', '--column', 'id=skip'];
    const label = ['--label', 'late', '--target', 'no|yes'];
    const shown = ['--set', 'steps=20000', '--dry-run'];
    const { code, error } = await lethe(['train', data, ...label, ...columns, ...quick, ...shown]);
    expect(code).toBe(0);
    expect(error).toMatch(/column 'age' holds numbers.*--column age=0\.\.100/u);
    expect(error).not.toMatch(/column 'city' holds/u);
    expect(error).toMatch(/passes over the 60 records.*a smaller number of steps/u);
  });

  test('without a terminal lists everything that is missing, and all that is wrong', async () => {
    const data = write('c.csv', records());
    const { code, error } = await lethe(['train', data, '--label', 'late', ...quick]);
    expect(code).toBe(2);
    for (const part of [
      '--target WORDS',
      "--column 'id=WORDS'",
      "--column 'age=WORDS'",
      "--column 'city=WORDS'",
    ])
      expect(error).toContain(part);
    const wrong = await lethe([
      'train',
      data,
      '--label',
      'late',
      ...quick,
      '--column',
      'agee=1..2',
      '--column',
      'id=9..1',
      '--column',
      'x',
    ]);
    for (const part of [
      "--column agee: there is no column 'agee'; is 'age' meant?",
      '--column id: the upper bound 1',
      "--column 'x' has no name",
    ])
      expect(wrong.error).toContain(part);
    const bad = write(
      's.yaml',
      'label: { type: classes, column: late, classes: [no] }\ncolumns: { age: { type: number, lower: 9 } }\n',
    );
    const file = await lethe(['train', data, '--schema', bad, ...quick]);
    expect(file.error).toMatch(/s\.yaml[^]*label\.classes[^]*columns\.age\.upper/u);
  });

  test('goes on with an interrupted training without another charge', async () => {
    const data = write('c.csv', records());
    const model = folder.file('m.json');
    const args = ['train', data, '--label', 'late', ...words, '--out', model, '--yes', ...quick];
    const stop = new AbortController();
    stop.abort();
    const stopped = await lethe(args, undefined, stop.signal);
    expect(stopped).toMatchObject({ code: 1, error: expect.stringContaining('--resume') });
    expect(existsSync(`${model}.part`)).toBe(true);
    expect(await lethe(args)).toMatchObject({ code: 2, error: expect.stringContaining('interrupted') });
    const other = await lethe([...args, '--resume', '--held-out', '0.5']);
    expect(other.error).toMatch(/began with another heldOut/u);
    expect(await lethe([...args, '--resume'])).toMatchObject({ code: 0 });
    const { out } = await lethe(['ledger', data, '--json']);
    expect((JSON.parse(out) as [{ runs: unknown[] }])[0].runs).toHaveLength(1);
  });

  test('keeps the limit of its records', async () => {
    const data = write('c.csv', records());
    const args = ['train', data, '--label', 'late', ...words, '--yes', ...quick];
    const a = [...args, '--out', folder.file('a.json')];
    expect(await lethe([...a, '--limit', '2.5'])).toMatchObject({ code: 0 });
    expect((await lethe([...a, '--limit', '2.5,'])).error).toMatch(/such as 1 or 1,1e-6/u);
    // A model that is there is in the way of another, and not of a look at its plan.
    expect((await lethe(a)).error).toContain('exists');
    expect((await lethe([...a, '--dry-run'])).error).toContain('would take it to');
    const second = await lethe([...args, '--out', folder.file('b.json')]);
    expect(second).toMatchObject({ code: 1, out: '' });
    expect(second.error).toMatch(
      /may spend epsilon 2\.5 .*Nothing was spent\. Give --epsilon [\d.]+ or less/u,
    );
    expect(second.error).toMatch(
      /spent so far by 1 run; the limit is epsilon 2\.5, [\d.]+ % of it taken \(shares/u,
    );
    expect(existsSync(folder.file('b.json.part'))).toBe(false);
    // A look at the plan is refused alike, and so under the limit that is kept, given again.
    const small = ['--delta', '1e-7', '--limit', '2.5', '--out', folder.file('b.json'), '--dry-run'];
    expect((await lethe([...args, ...small])).error).not.toMatch(/has a limit of/u);
    const looked = await lethe([...args, '--out', folder.file('b.json'), '--dry-run']);
    expect(looked.code).toBe(1);
    expect(looked.error).toContain(second.error.slice(second.error.indexOf('lethe train:')));
    const { out } = await lethe(['ledger', data, '--json']);
    expect((JSON.parse(out) as [{ runs: unknown[]; limit: { epsilon: number } }])[0]).toMatchObject({
      limit: { epsilon: 2.5 },
      runs: [{}],
    });
  });
});

test('numpy scores a model as predict does, by the code of the guide', async ({ skip }) => {
  const python = (code: string) => spawnSync('python3', ['-c', code], { cwd: folder.path, encoding: 'utf8' });
  if (python('import numpy').status !== 0) skip('python3 with numpy is not there: the guide was not tried');
  const args = ['train', write('c.csv', records()), '--label', 'late', '--out', folder.file('model.json')];
  expect(await lethe([...args, ...quick, ...words, '--yes'])).toMatchObject({ code: 0 });
  const rows = 'age,city\n20,Rome\n70,Oslo\n,Bern\n120,Rome\n-3,Oslo\n';
  const { out } = await lethe(['predict', folder.file('model.json'), write('new.csv', rows)]);
  const guide = readFileSync(
    new URL('../../../docs/guide/from-python-and-notebooks.md', import.meta.url),
    'utf8',
  );
  const [, code = ''] = /```python\n(import csv, json\n[^]*?)```/u.exec(guide) ?? [];
  const { status, stdout, stderr } = python(code);
  expect(status, stderr).toBe(0);
  const scored = (stdout.match(/[\d.]+(?:e-?\d+)?/gu) ?? []).map(Number);
  const predicted = out
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => Number(line.split(',')[1]));
  expect(scored).toHaveLength(5);
  for (const [i, score] of scored.entries()) expect(score).toBeCloseTo(predicted[i] ?? Number.NaN, 5);
});

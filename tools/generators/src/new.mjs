/**
 * `npm run new -- KIND NAME`: a new plugin with its test, registered, ready to be filled in.
 * `npm run new -- paper NAME`: a paper.
 */
import { fileURLToPath } from 'node:url';
import { kinds } from '@lethe/create-plugin';
import { scaffoldPaper } from './paper.mjs';
import { scaffold } from './scaffold.mjs';

const usage = `Usage: npm run new -- ${[...kinds, 'paper'].join('|')} NAME`;
const [given, name, ...more] = process.argv.slice(2);
// A kind is written `localRandomiser` in code.
const kind = given?.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
if (given === '--help' || given === '-h') console.log(usage);
else {
  try {
    if (more.length > 0) throw new Error(`${more.length + 2} arguments were given; give a kind and a name`);
    const root = fileURLToPath(new URL('../../../', import.meta.url));
    const files = kind === 'paper' ? scaffoldPaper(root, name) : scaffold(root, kind, name);
    for (const file of files) console.log(`wrote ${file}`);
    console.log(
      'Next: ' +
        (kind === 'paper'
          ? 'fill in the claims ledger, then the checks that decide it'
          : 'say what it does and claims; npm run schema adds its parameters to the format of experiments') +
        '; npm run quick checks it',
    );
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${usage}`);
    process.exitCode = 2;
  }
}

#!/usr/bin/env node
import { main } from './cli/main.js';

const interrupt = new AbortController();
process.once('SIGINT', () => interrupt.abort());
process.once('SIGTERM', () => interrupt.abort());
// Whoever reads may stop reading: `lethe plugins | head -1` is no failure.
process.stdout.on('error', (problem: NodeJS.ErrnoException) => { if (problem.code !== 'EPIPE') throw problem; });
process.exitCode = await main(process.argv.slice(2), { out: (text) => process.stdout.write(text), error: (text) => process.stderr.write(text) }, interrupt.signal);

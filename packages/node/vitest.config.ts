import { definePackageConfig } from '../../vitest.shared.js';

export default definePackageConfig('@lethe/node', { isolate: true });

// `npm run demo` must also work on a fresh clone, so this part needs nothing but Node and installs the rest.
import '../test/set-up.mjs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
require('tsx/cjs');
require('./demo/main.ts');

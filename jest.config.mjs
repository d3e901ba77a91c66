/** Jest runs the TypeScript as the ES modules it is; swc only takes the types off, `npm run check:types` judges them. */
const modules = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json', 'node'],
  // Sources name the compiled file, as Node wants it; here the TypeScript beside it is meant.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/data/'],
  // As the build compiles them: .swcrc says how.
  transform: { '^.+\\.ts$': '@swc/jest' },
};

/**
 * The end-to-end spec files that `npm test` runs, on the embedded store: the starts, and every kind of statement. The other
 * files test rules, which do not depend on the store. docs/testing.md says which file is here for what.
 */
const ON_EMBEDDED_STORE = [
  'audiences/audience-users',
  'audiences/keywords',
  'auth/sign-in',
  'auth/signed-requests',
  'campaigns/audience-estimate',
  'campaigns/campaigns',
  'cli/start',
  'creatives/media',
  'model',
  'webhooks/deliveries',
];

const inPattern = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const COMPILED_MODULES = '<rootDir>/test/support/compiled-modules.mjs';
const sharing = { ...modules, testEnvironment: '<rootDir>/test/support/test-environment.mjs' };

const unit = {
  ...sharing,
  // They share the embedded store as Node has loaded it: compiling its WebAssembly takes a second of each spec file.
  transform: { '/node_modules/@electric-sql/pglite/': COMPILED_MODULES, ...modules.transform },
  transformIgnorePatterns: ['/node_modules/(?!@electric-sql/pglite/)'],
};

const endToEnd = {
  ...sharing,
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Spec files share what Node has loaded of the service and the packages; test/support/compiled-modules.mjs says how.
  transform: {
    [`^${inPattern(import.meta.dirname)}/(src|scripts)/.+\\.ts$`]: COMPILED_MODULES,
    '/node_modules/.+\\.[cm]?js$': COMPILED_MODULES,
    ...modules.transform,
  },
  transformIgnorePatterns: [],
};

export default {
  maxWorkers: 2,
  // Every spec file leaves some 35 MB behind that V8 cannot collect.
  workerIdleMemoryLimit: '600MB',
  // A machine that does other things as well takes its time.
  testTimeout: 60_000,
  testSequencer: '<rootDir>/test/support/slow-first.mjs',
  projects: [
    { ...unit, displayName: 'unit', testMatch: ['<rootDir>/test/unit/**/*.spec.ts'] },
    {
      ...endToEnd,
      displayName: 'embedded',
      testMatch: ON_EMBEDDED_STORE.map((name) => `<rootDir>/test/e2e/${name}.e2e-spec.ts`),
    },
    { ...endToEnd, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.e2e-spec.ts'] },
  ],
};

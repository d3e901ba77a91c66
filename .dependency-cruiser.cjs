/** From the ground up: a layer may use those before it, never those after it. */
const LAYERS = [
  'config',
  'common',
  'auth',
  'accounts',
  'creatives',
  'audiences',
  'measurement',
  'app-measurement',
  'catalogs',
  'campaigns',
  'names',
  'statistics',
  'lead-exports',
  'webhooks',
  'workbench',
  'sandbox',
  'demo',
  'operations',
];

/** What puts the layers together. It may use all of them; none of them knows it. */
const TOP =
  '^(ormconfig\\.ts$|src/(entities|app\\.module|create-app|service|start-service|serve|in-process|listener|start-failure-of|main|openapi|support)\\.ts$|src/(cli|migrations)/)';

const above = (layer) => LAYERS.slice(LAYERS.indexOf(layer) + 1).join('|');

module.exports = {
  forbidden: [
    ...LAYERS.slice(0, -1).map((layer) => ({
      name: `${layer}-looks-down-only`,
      comment: `What ${layer} needs of a layer above it is moved down, or the caller above does the asking.`,
      severity: 'error',
      from: { path: `^src/${layer}/` },
      to: { path: `^src/(${above(layer)})/` },
    })),
    {
      name: 'nobody-knows-the-top',
      comment:
        'Composition, migrations and the command line are where everything meets; a domain that imports them is a cycle.',
      severity: 'error',
      from: { path: '^src/', pathNot: TOP },
      to: { path: TOP },
    },
    {
      name: 'names-translate-requests',
      comment:
        'A second vocabulary is translated at the edge. It needs to know how a request is read and answered, not what it is about.',
      severity: 'error',
      from: { path: '^src/names/' },
      to: { path: '^src/', pathNot: '^src/(names|common|config)/' },
    },
    {
      name: 'known-layers-only',
      comment: 'A new folder below src/ is given its place in LAYERS first.',
      severity: 'error',
      from: {},
      to: {
        path: '^src/',
        pathNot: [`^src/(${LAYERS.join('|')})/`, TOP],
      },
    },
    {
      name: 'fast-driver-on-demand',
      comment:
        "What leans on pg's inside must not be loaded with DATABASE_DRIVER=plain, nor keep the service from starting: only the choice of the driver imports it, at run time.",
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/common/db/postgres/fast/' },
      to: { path: '^src/common/db/postgres/fast/', dependencyTypesNot: ['dynamic-import'] },
    },
    {
      name: 'fast-driver-chosen-in-one-place',
      comment: 'Everybody else gets a driver that has passed the check.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/common/db/postgres/(choose-driver\\.ts$|fast/)' },
      to: { path: '^src/common/db/postgres/fast/' },
    },
    {
      name: 'inside-of-pg-in-one-folder',
      comment: 'Elsewhere only what pg documents, so that an upgrade never waits for us.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/common/db/postgres/fast/' },
      to: { path: 'node_modules/(pg/lib|pg-protocol)/' },
    },
    {
      name: 'database-rooms',
      comment:
        'postgres/ and embedded/ are put together in database.ts and know nothing of each other or of the other rooms. What both kinds of store share are the type parsers; statements and drivers share driver.ts, and notifications are a connection of their own.',
      severity: 'error',
      from: { path: '^src/common/db/(postgres|embedded|query|cache)/' },
      to: {
        path: '^src/common/db/(postgres|embedded)/',
        pathNot: [
          '^src/common/db/$1/',
          '^src/common/db/postgres/type-parsers\\.ts$',
          '^src/common/db/postgres/driver\\.ts$',
          '^src/common/db/postgres/bounded-client\\.ts$',
        ],
      },
    },
    {
      name: 'stores-ask-no-questions',
      comment:
        'How a store is reached does not depend on what is asked of it: postgres/ and embedded/ stand below query/ and cache/.',
      severity: 'error',
      from: { path: '^src/common/db/(postgres|embedded)/' },
      to: { path: '^src/common/db/(query|cache)/' },
    },
    {
      name: 'stores-behind-the-database',
      comment:
        'A store is opened through database.ts. Besides it only two things are of interest outside common/db: how timestamps are written (wireTime, storedTime) and, to who starts a process, that the embedded store is in use.',
      severity: 'error',
      from: { path: '^(src/|ormconfig)', pathNot: '^src/common/db/' },
      to: {
        path: '^src/common/db/(postgres|embedded)/',
        pathNot: ['^src/common/db/postgres/(type-parsers|stored-times)\\.ts$', '^src/common/db/embedded/lock\\.ts$'],
      },
    },
    {
      name: 'lock-for-who-starts',
      comment: 'StoreInUse is told to the person at the terminal; nobody else takes or looks at the lock.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/common/db/embedded/', '^src/serve\\.ts$', '^src/cli/'] },
      to: { path: '^src/common/db/embedded/lock\\.ts$' },
    },
    {
      name: 'private-parts',
      comment:
        "Another domain is asked through its services, modules and entities; how it reads and writes the wire is its own affair. The sandbox answers with its owners' presenters, and the top may look anywhere.",
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: ['^src/sandbox/', TOP] },
      to: {
        path: `^src/(${LAYERS.filter((layer) => layer !== 'common').join('|')})/.+\\.(dto|presenter|controller|rules)\\.ts$`,
        pathNot: '^src/$1/',
      },
    },
    {
      name: 'replay-protection-is-one-interface',
      comment:
        'Nonce stores and epochs are only right together: outside of auth/replay there is ReplayProtection, the signed nonce and the tables.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/auth/replay/' },
      to: {
        path: '^src/auth/replay/',
        pathNot: ['^src/auth/replay/(replay-protection|signed-nonce)\\.ts$', '\\.entity\\.ts$'],
      },
    },
    {
      name: 'presenters-are-pure',
      comment: 'A presenter turns a row into its wire form; what it needs is handed to it.',
      severity: 'error',
      from: { path: '\\.presenter\\.ts$' },
      to: { path: '\\.(service|controller|module)\\.ts$' },
    },
    {
      name: 'rules-are-pure',
      comment: 'Rules are functions of parameters and rows, tested without a store.',
      severity: 'error',
      from: { path: '\\.rules\\.ts$' },
      to: { path: '\\.(service|controller|module)\\.ts$' },
    },
    {
      name: 'services-know-no-http',
      comment: 'A service is also called by jobs, batches and commands, where there is no request.',
      severity: 'error',
      from: { path: '\\.service\\.ts$' },
      to: { path: '(\\.controller\\.ts$|node_modules/(fastify|@nestjs/platform-fastify)/)' },
    },
    {
      name: 'no-cycles',
      comment: 'ES modules in a cycle meet half-initialised classes: decorators then fail at load time.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-test-code-in-the-service',
      comment: 'dist/ is what is shipped.',
      severity: 'error',
      from: { path: '^(src/|ormconfig)' },
      to: { path: '^(test|bench|scripts)/' },
    },
    {
      name: 'shipped-packages-only',
      comment:
        'The image is pruned to `dependencies`; a development package would be missing there. Types vanish in the build.',
      severity: 'error',
      from: { path: '^(src/|ormconfig)' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'client-alone',
      comment: 'The client is installed elsewhere: it has its own files, Node and the packages of its package.json.',
      severity: 'error',
      from: { path: '^packages/client/' },
      to: { path: '^', pathNot: ['^packages/client/', '^node_modules/openapi-fetch/'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'resolvable',
      comment: 'Relative imports end in .js and name a file that exists.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    // Type-only imports count too: a layer that knows another's types knows it.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // Without `types`: what counts is the package that will be loaded.
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};

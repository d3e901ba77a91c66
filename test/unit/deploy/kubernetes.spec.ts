import { createRequire } from 'node:module';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { load, loadAll } from 'js-yaml';
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.js';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { ConfigMap, PodSpec, Secret } from 'kubernetes-types/core/v1.js';
import type { Ingress, NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import ts from 'typescript';
import { readConfig } from '../../../src/config/config.js';
import { MAX_SNAPSHOT_BYTES } from '../../../src/workbench/snapshots/snapshot.entity.js';

const FOLDER = 'deploy/kubernetes';

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}

const manifests = readdirSync(FOLDER)
  .filter((name) => name !== 'kustomization.yaml')
  .flatMap((name) => loadAll(readFileSync(join(FOLDER, name), 'utf8')) as Manifest[]);
const find = <T>(kind: string, name: string) => {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name);
  if (!found) throw new Error(`there is no ${kind} ${name}`);
  return found as T;
};

const deployments = ['marquee-api', 'marquee-worker'].map((name) => find<Deployment>('Deployment', name));
const pods: PodSpec[] = [...deployments, find<Job>('Job', 'marquee-migrate')].map(({ spec }) => spec!.template.spec!);
const example = {
  ...find<ConfigMap>('ConfigMap', 'marquee').data,
  ...find<Secret>('Secret', 'marquee').stringData,
};
const environment = { ...example, MASTER_KEY: Buffer.alloc(32, 'kubernetes').toString('base64') };

/** Which module of the types describes objects of this version. */
const moduleOf = (apiVersion: string) =>
  `kubernetes-types/${apiVersion === 'v1' ? 'core/v1' : apiVersion.replace('.k8s.io', '')}.js`;

/** What the compiler says of the manifests, as literals of the types that Kubernetes publishes: unknown fields too. */
function mistakesIn(checked: Manifest[]): string[] {
  const source = checked.map(
    (each, i) =>
      `const manifest${i}: import('${moduleOf(each.apiVersion)}').${each.kind} = ${JSON.stringify(each, null, 2)};`,
  );
  // Below this folder, so that the types are found.
  const folder = mkdtempSync(resolve('test/unit/deploy/.checked-'));
  try {
    const file = join(folder, 'manifests.ts');
    writeFileSync(file, `${source.join('\n')}\nexport {};\n`);
    const options = { strict: true, noEmit: true, types: [], module: ts.ModuleKind.NodeNext, skipLibCheck: true };
    const program = ts.createProgram([file], options);
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('are what the types of Kubernetes allow, field by field', () => {
  expect(mistakesIn(manifests)).toEqual([]);
  const misspelt = structuredClone(deployments[0]);
  Object.assign(misspelt.spec!.template.spec!.containers[0].readinessProbe ?? {}, { periodSecond: 2 });
  expect(mistakesIn([misspelt as Manifest])).toEqual([expect.stringContaining('periodSecond')]);
});

/** What the JSON schemas of Kubernetes say of a manifest: formats and patterns of values, which the types do not know. */
function schemaMistake({ apiVersion, kind, ...rest }: Manifest): string | undefined {
  const models = createRequire(import.meta.url)(`kubernetes-models/${apiVersion}/${kind}`) as Record<
    string,
    new (data: object) => { validate(): void }
  >;
  try {
    new models[kind](rest).validate();
  } catch (error) {
    return (error as Error).message;
  }
}

it('are valid by the JSON schemas of Kubernetes', () => {
  for (const each of manifests) expect([each.kind, schemaMistake(each)]).toEqual([each.kind, undefined]);
  const wrong = structuredClone(find<Manifest & Deployment>('Deployment', 'marquee-api'));
  Object.assign(wrong.spec!, { minReadySeconds: '5' });
  expect(schemaMistake(wrong)).toMatch(/minReadySeconds/);
});

it('the example overlay adds to the manifests, and replaces only what they have', () => {
  const overlay = load(readFileSync('deploy/overlays/example/kustomization.yaml', 'utf8')) as {
    resources: string[];
    images: { name: string }[];
    patches: { patch: string; target?: { kind: string } }[];
  };
  expect(overlay.resources).toEqual(['../../kubernetes']);
  expect(pods.map(({ containers }) => containers[0].image!.split(':')[0])).toContain(overlay.images[0].name);
  for (const { patch, target } of overlay.patches) {
    if (target) {
      const [{ path }] = load(patch) as { path: string }[];
      const of = manifests.filter(({ kind }) => kind === target.kind);
      expect(of.length).toBeGreaterThan(0);
      for (const each of of) expect(each).toHaveProperty(path.slice(1).split('/'));
      continue;
    }
    const patched = load(patch) as Manifest & ConfigMap;
    expect(Object.keys(find<ConfigMap>(patched.kind, patched.metadata.name).data!)).toEqual(
      expect.arrayContaining(Object.keys(patched.data!)),
    );
  }
});

it('let pods be reached by the ingress and Prometheus, and reach no private address of the internet rule', () => {
  const policy = (name: string) => find<NetworkPolicy>('NetworkPolicy', name).spec!;
  expect(policy('marquee')).toMatchObject({ policyTypes: ['Ingress', 'Egress'] });
  expect(policy('marquee').ingress).toBeUndefined();
  expect(policy('marquee-api').podSelector.matchLabels).toMatchObject({ 'app.kubernetes.io/component': 'api' });
  const everywhere = policy('marquee-internet').egress![0].to!.find(({ ipBlock }) => ipBlock?.cidr === '0.0.0.0/0');
  for (const network of ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10'])
    expect(everywhere!.ipBlock!.except).toContain(network);
});

it('bound what pods write, how long a job stays, and say where figures are', () => {
  for (const { volumes } of pods) for (const { emptyDir } of volumes!) expect(emptyDir!.sizeLimit).toMatch(/^\d+Mi$/);
  expect(find<Job>('Job', 'marquee-migrate').spec!.ttlSecondsAfterFinished).toBeGreaterThan(0);
  for (const { spec } of deployments)
    expect(spec!.template.metadata!.annotations).toMatchObject({
      'prometheus.io/path': '/metrics',
      'prometheus.io/port': `${spec!.template.spec!.containers[0].ports![0].containerPort}`,
    });
});

it('are all applied, but for the secret and the migration', () => {
  const { resources } = load(readFileSync(join(FOLDER, 'kustomization.yaml'), 'utf8')) as { resources: string[] };
  const apart = ['kustomization.yaml', 'migrate.yaml', 'secret.example.yaml'];
  expect(readdirSync(FOLDER).sort()).toEqual([...resources, ...apart].sort());
});

it('give every pod a configuration that the service starts with', () => {
  for (const { containers } of pods) {
    const [{ env = [], envFrom }] = containers;
    expect(envFrom).toEqual([{ configMapRef: { name: 'marquee' } }, { secretRef: { name: 'marquee' } }]);
    const own = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    expect(readConfig({ ...environment, ...own })).toMatchObject({ production: true, role: own.ROLE ?? 'both' });
  }
});

it('do not start with the example secret', () => {
  expect(() => readConfig(example)).toThrow(/^The configuration is not usable: MASTER_KEY: consists of 32 equal bytes/);
});

it('need no more connections than they say that there have to be', () => {
  const perProcess = readConfig(environment).databasePool + 3;
  const { maxReplicas } = find<HorizontalPodAutoscaler>('HorizontalPodAutoscaler', 'marquee-api').spec!;
  const processes = deployments.map(
    ({ spec }) => (spec!.replicas ?? maxReplicas) + Number(spec!.strategy!.rollingUpdate!.maxSurge),
  );
  // The migration, and one command of an operator.
  const max = (processes.reduce((sum, each) => sum + each) + 2) * perProcess;
  const written = readFileSync(join(FOLDER, 'config.yaml'), 'utf8').replaceAll('\n  # ', ' ');
  const [, stated, needed] = /That is (\d+): max_connections must be (\d+) or more/.exec(written)!.map(Number);
  expect(stated).toBe(max);
  expect(needed).toBeGreaterThanOrEqual(max + 3);
});

it('hold every body until it has arrived, but for those of uploads, of which one address has few', () => {
  const annotation = (name: string, key: string) =>
    find<Ingress>('Ingress', name).metadata!.annotations![`nginx.ingress.kubernetes.io/${key}`];
  expect(annotation('marquee', 'proxy-request-buffering')).toBe('on');
  expect(annotation('marquee-uploads', 'proxy-request-buffering')).toBe('off');
  for (const name of ['marquee', 'marquee-snapshots', 'marquee-uploads'])
    expect(annotation(name, 'proxy-next-upstream')).toBe('off');
  expect(Number(annotation('marquee-uploads', 'limit-connections'))).toBeLessThanOrEqual(32);
  expect(Number(annotation('marquee', 'limit-connections'))).toBeGreaterThan(0);
  const paths = (name: string) =>
    find<Ingress>('Ingress', name).spec!.rules!.flatMap(({ http }) => http!.paths.map(({ path }) => path));
  expect(paths('marquee')).toEqual(['/']);
  expect(paths('marquee-snapshots')).toEqual(['/workbench/snapshots/']);
  expect(annotation('marquee-snapshots', 'proxy-request-buffering')).toBe('on');
  expect(parseInt(annotation('marquee-snapshots', 'proxy-body-size')) * 2 ** 20).toBeGreaterThan(
    MAX_SNAPSHOT_BYTES + 1_000_000,
  );
  expect(paths('marquee-uploads')).toEqual(['/1.1/media/upload', '/2/media/upload', '/1.1/media/upload.json']);
});

it('leave a stopping pod longer than it takes', () => {
  for (const { spec } of deployments) {
    const { terminationGracePeriodSeconds } = spec!.template.spec!;
    // src/serve.ts: a stop that takes 25 seconds is cut short.
    expect(terminationGracePeriodSeconds).toBeGreaterThan(25 + 5);
  }
});

it('send requests to the API alone, and select what they are about', () => {
  const labels = (role: string) => ({ 'app.kubernetes.io/name': 'marquee', 'app.kubernetes.io/component': role });
  expect(find('Service', 'marquee')).toMatchObject({ spec: { selector: labels('api') } });
  for (const role of ['api', 'worker']) {
    const selector = { matchLabels: labels(role) };
    expect(find('PodDisruptionBudget', `marquee-${role}`)).toMatchObject({ spec: { selector } });
    expect(find('Deployment', `marquee-${role}`)).toMatchObject({
      spec: { selector, template: { metadata: { labels: labels(role) } } },
    });
  }
});

it('run as nobody in particular, and write nothing but into their volumes', () => {
  for (const { securityContext, containers } of pods) {
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  }
});

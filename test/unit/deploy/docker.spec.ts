import { existsSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';

const text = (name: string) => readFileSync(name, 'utf8');
const dockerfile = text('Dockerfile').replaceAll('\\\n', '');

it('the builder is sent everything that the image is made of', () => {
  const sent = text('.dockerignore').split('\n');
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) => sources.split(' '));
  expect(copied.length).toBeGreaterThan(5);
  for (const source of copied) {
    expect(existsSync(source)).toBe(true);
    expect(sent).toContain(`!${source}`);
  }
});

const { services } = load(text('compose.yaml')) as { services: Record<string, { image: string }> };

it('every image that is not ours has its exact version', () => {
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  const others = [...text('compose.yaml').matchAll(/^ +image: (\S+)$/gm)].map(([, image]) => image);
  expect(others).toContain('marquee:local');
  expect(new Set(bases).size).toBe(1);
  for (const image of [...bases, ...others.filter((each) => each !== 'marquee:local')])
    expect(image).toMatch(/:\d+\.\d+(\.\d+)?-bookworm/);
});

it('nginx is new enough for its configuration', () => {
  const [major, minor] = /^nginx:(\d+)\.(\d+)/.exec(services.balancer.image)!.slice(1).map(Number);
  expect(major * 1_000 + minor).toBeGreaterThanOrEqual(1_028);
  for (const replica of ['app1', 'app2']) {
    expect(services).toHaveProperty(replica);
    expect(text('deploy/nginx.conf')).toContain(`server ${replica}:3000 resolve `);
  }
});

it('the image is in production mode unless it is told otherwise, and runs as nobody in particular', () => {
  expect(dockerfile).toMatch(/^ENV NODE_ENV=production /m);
  expect(dockerfile).toMatch(/^USER node$/m);
});

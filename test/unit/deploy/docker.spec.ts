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

it('nginx has every body before it takes a connection, but for uploads, which have connections and limits of their own', () => {
  const conf = text('deploy/nginx.conf').replace(/^\s*#.*$/gm, '');
  const uploads = /location \^~ \/1\.1\/media\/upload \{([^}]*)\}/.exec(conf)![1];
  expect(uploads).toContain('proxy_request_buffering off;');
  expect(uploads).toContain('proxy_pass http://marquee_uploads;');
  expect(uploads).toMatch(/limit_conn uploads \d+;/);
  const elsewhere = conf.replace(uploads, '');
  expect(elsewhere).not.toContain('proxy_request_buffering off');
  expect(elsewhere).not.toContain('proxy_pass http://marquee_uploads');
  for (const zone of ['requests', 'bodies']) {
    expect(uploads).toContain(`limit_conn ${zone} `);
    expect(elsewhere).toMatch(new RegExp(`limit_conn ${zone} \\d+;`));
  }
});

it('nginx tells the networks of IPv6 apart, and no addresses within them', () => {
  const map = /map \$remote_addr \$client_network \{\n(.*?)\n {2}\}/s.exec(text('deploy/nginx.conf'))![1];
  const rules = [...map.matchAll(/"~(.+)" "?\$(\w+)(:*)"?;/g)].map(([, pattern, group, rest]) => ({
    pattern: new RegExp(pattern),
    group,
    rest,
  }));
  expect(rules).toHaveLength(3);
  const networkOf = (address: string) => {
    for (const { pattern, group, rest } of rules) {
      const found = pattern.exec(address);
      if (found) return `${found.groups![group]}${rest}`;
    }
    return address;
  };
  expect(networkOf('192.0.2.1')).toBe('192.0.2.1');
  expect(networkOf('::ffff:192.0.2.1')).toBe('192.0.2.1');
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:db8:1:2::9'));
  expect(networkOf('2001:db8:1:2::9')).not.toBe(networkOf('2001:db8:1:3::9'));
  expect(networkOf('2001:db8::1')).toBe(networkOf('2001:db8::2'));
  expect(networkOf('2001:db8::1')).not.toBe(networkOf('2001:db9::1'));
  expect(networkOf('::1')).not.toBe('');
});

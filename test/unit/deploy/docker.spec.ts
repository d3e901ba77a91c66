import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

const { services } = load(text('compose.yaml')) as { services: Record<string, { image: string; volumes: string[] }> };

it('every image that is not ours has its exact version', () => {
  const bases = [...dockerfile.matchAll(/^ARG NODE_IMAGE=(\S+)/gm)].map(([, image]) => image);
  expect(new Set([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image))).toEqual(
    new Set(['${NODE_IMAGE}']),
  );
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
    expect(text('deploy/upstreams.conf')).toContain(`server ${replica}:3000 resolve `);
  }
  expect(services.balancer.volumes).toEqual([
    './deploy/nginx.conf:/etc/nginx/nginx.conf:ro',
    './deploy/upstreams.conf:/etc/nginx/upstreams.conf:ro',
  ]);
});

const withoutComments = (conf: string) => conf.replace(/^\s*#.*$/gm, '').replace(/\s+/g, ' ');

it('both lists of replicas say the same but for addresses, and how these are found', () => {
  const found = withoutComments(text('deploy/upstreams.conf'))
    .replace(/resolver[^;]*; resolver_timeout[^;]*; /, '')
    .replace(/server app(\d):3000 resolve /g, 'server 127.0.0.1:300$1 ');
  expect(found).toContain('127.0.0.1:3002');
  expect(withoutComments(text('deploy/upstreams-static.conf'))).toBe(found);
});

const nginx = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx'].find((path) => existsSync(path));
const [, major, minor, patch] = nginx
  ? /nginx\/(\d+)\.(\d+)\.(\d+)/.exec(spawnSync(nginx, ['-v'], { encoding: 'utf8' }).stderr)!.map(Number)
  : [0, 0, 0, 0];
const looksNamesUp = major * 1e6 + minor * 1e3 + patch >= 1_027_003;

/** What `nginx -t` says of the shipped configuration, with folders of its own for what it writes. */
function tested(upstreams: string, change = (conf: string) => conf) {
  const folder = mkdtempSync(join(tmpdir(), 'marquee-nginx-t-'));
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (each) => `${each}_temp_path ${folder}/${each};`,
  );
  try {
    const conf = change(text('deploy/nginx.conf'))
      .replace('http {\n', `http {\n${folders.join('\n')}\n`)
      .replace('access_log /var/log/nginx/', `access_log ${folder}/`);
    writeFileSync(join(folder, 'nginx.conf'), conf);
    writeFileSync(join(folder, 'upstreams.conf'), text(`deploy/${upstreams}`));
    const options = ['-t', '-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr', '-g', `pid ${folder}/pid;`];
    const { status, stderr } = spawnSync(nginx!, options, { encoding: 'utf8' });
    return { status, stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

(nginx ? it : it.skip)(`nginx takes the configuration${nginx ? '' : ' (nginx is not installed)'}`, () => {
  expect(tested('upstreams-static.conf')).toEqual({ status: 0, stderr: expect.stringContaining('test is successful') });
  expect(tested('upstreams.conf').status).toBe(looksNamesUp ? 0 : 1);
  expect(
    tested('upstreams-static.conf', (conf) => conf.replace('limit_conn_status 429', 'limit_con_status 429')),
  ).toEqual({
    status: 1,
    stderr: expect.stringContaining('unknown directive "limit_con_status"'),
  });
});

it('the image is in production mode unless it is told otherwise, and runs as nobody in particular', () => {
  expect(dockerfile).toMatch(/^ENV NODE_ENV=production /m);
  expect(dockerfile).toMatch(/^USER node$/m);
});

it('the image starts as the stored code was compiled: V8 uses it only under the same options', () => {
  const { scripts } = JSON.parse(text('package.json')) as { scripts: { 'start:prod': string } };
  const command = JSON.parse(/^CMD (.+)$/m.exec(dockerfile)![1]) as string[];
  expect(command.join(' ')).toBe(scripts['start:prod']);
});

it('nginx has every body before it takes a connection, but for uploads, which have connections and limits of their own', () => {
  const conf = text('deploy/nginx.conf').replace(/^\s*#.*$/gm, '');
  const uploads = /location ~ \^\/\(1\\\.1\|2\)\/media\/upload \{([^}]*)\}/.exec(conf)![1];
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

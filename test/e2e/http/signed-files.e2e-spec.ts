import { HttpCode, Post } from '@nestjs/common';
import { CallerController } from '../../../src/auth/guards/ads-controller.js';
import { Text } from '../../../src/common/http/params/fields.js';
import { MultipartBody, TakesMultipart, type Multipart } from '../../../src/common/http/bodies/takes-body.js';
import { useApp } from '../../support/app.js';
import { authorization } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { send } from '../../support/http.js';
import { useControllers } from '../../support/test-controllers.js';

useApp();

class Upload {
  @Text({ optional: true }) title?: string;
}

@CallerController('files', { tag: 'Files' })
class FilesController {
  @Post()
  @HttpCode(200)
  @TakesMultipart(Upload, { file: 'media', limit: 1_000_000 })
  async take(@MultipartBody() { fields, file }: Multipart<Upload>) {
    let size = 0;
    for await (const chunk of file.content as AsyncIterable<Buffer>) size += chunk.length;
    return { title: fields.title, size };
  }
}

const { url } = useControllers(FilesController);

let advertiser: Advertiser;
beforeAll(async () => {
  advertiser = await given.advertiser();
});

const multipart = (title: string) =>
  `--b\r\ncontent-disposition: form-data; name="title"\r\n\r\n${title}\r\n` +
  '--b\r\ncontent-disposition: form-data; name="media"; filename="a.png"\r\n\r\nbytes\r\n--b--\r\n';

const post = (form: Record<string, string>, body: string, type: string) =>
  send(url(), '/12/files', {
    method: 'POST',
    headers: {
      authorization: authorization(advertiser.api.credentials, 'POST', `${url()}/12/files`, form),
      'content-type': type,
    },
    body,
  });

it('fields of a multipart body are not signed, those of a form are (RFC 5849, 3.4.1.3.1)', async () => {
  const type = 'multipart/form-data; boundary=b';
  expect(await post({}, multipart('x'), type)).toMatchObject({
    status: 200,
    body: { data: { title: 'x', size: 5 }, request: { params: { title: 'x' } } },
  });
  expect(await post({ title: 'x' }, multipart('x'), type)).toMatchObject({ status: 401 });
  const form = 'application/x-www-form-urlencoded';
  expect(await post({}, 'title=x', form)).toMatchObject({ status: 401 });
  expect(await post({ title: 'x' }, 'title=x', form)).toMatchObject({
    status: 400,
    body: { errors: [{ code: 'MISSING_PARAMETER', parameter: 'media' }] },
  });
});

it('nobody who is not known gets a file read', async () => {
  const type = 'multipart/form-data; boundary=b';
  for (const size of [10, 900_000]) {
    const answer = await send(url(), '/12/files', {
      method: 'POST',
      headers: { 'content-type': type },
      body: multipart('x'.repeat(size)),
    });
    expect(answer).toMatchObject({ status: 401 });
    expect(answer.headers.connection).not.toBe('close');
  }
});

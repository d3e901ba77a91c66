import { Controller, Get, Param, Post, Redirect, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readShipped } from '../../common/asset.js';
import { pageNotFound } from '../../common/errors/catalogue.js';
import { expectedError } from '../../common/http/params/refusals.js';
import { Config, VOCABULARIES, withoutSlash } from '../../config/config.js';
import { chosenVocabulary, NAMES_HEADER } from '../../names/vocabulary.js';
import { ApiDocument } from './api-document.js';
import { PAGE, sendAsset } from './assets.js';
import { DemoHandout, demoFor, demoIdsFor, shownOf } from './demo-keys.js';

/**
 * Allows only the service's own scripts, styles and responses. The images in data URLs are arrows in Swagger UI's
 * stylesheet.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** For responses that no other site may read and no cache may store. */
const SECRET = { 'cache-control': 'no-store', 'cross-origin-resource-policy': 'same-origin', vary: 'origin' };

/** The URL of the service in llms.txt. */
const URL_IN_LLMS = 'http://localhost:3000';

/** The API reference. Locations are relative, since the service may have a path prefix. */
@ApiExcludeController()
@Controller()
export class DocsController {
  private llmsText?: string;

  constructor(
    private readonly config: Config,
    private readonly document: ApiDocument,
    private readonly handout: DemoHandout,
  ) {}

  @Get()
  @Redirect('docs')
  index() {}

  @Get('docs')
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    reply.headers({
      'content-security-policy': POLICY,
      // the window of a sign-in by OAuth 2.0 reports to this one
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'referrer-policy': 'no-referrer',
    });
    await sendAsset(request, reply, PAGE);
  }

  @Get('docs/openapi.json')
  async openapi(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { names: given } = request.query as { names?: string };
    const names = chosenVocabulary(given, this.config.names);
    if (!names) throw expectedError(`a value in ${VOCABULARIES.join(', ')}`, given, 'names');
    const demoIds = demoIdsFor(request, this.config);
    await reply
      .type('application/json; charset=utf-8')
      .headers({ 'cache-control': 'no-cache', [NAMES_HEADER]: names, ...(demoIds && { 'x-marquee-demo': 'true' }) })
      .send(await this.document.asBytes(names, demoIds));
  }

  /** What an assistant reads first (llmstxt.org), with the URL of this service. */
  @Get('llms.txt')
  async llms(@Res() reply: FastifyReply) {
    const text = (this.llmsText ??= readShipped('llms.txt').replaceAll(URL_IN_LLMS, withoutSlash(this.config.baseUrl)));
    await reply.type('text/plain; charset=utf-8').header('cache-control', 'no-cache').send(text);
  }

  @Get('docs/keys')
  async keys(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    await reply.headers(SECRET).send(shownOf(demoFor(request, this.config)));
  }

  @Post('docs/handout')
  async handOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    await reply.headers(SECRET).send(await this.handout.create(demoFor(request, this.config)));
  }

  @Get('docs/*')
  @Redirect('../docs')
  slashed(@Req() { url }: FastifyRequest) {
    if (!/^\/docs\/(\?|$)/.test(url)) throw pageNotFound();
  }

  @Get('docs/assets/:folder/:file')
  async asset(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('folder') folder: string,
    @Param('file') file: string,
  ) {
    await sendAsset(request, reply, `${folder}/${file}`);
  }
}

import {
  Catch,
  Controller,
  Get,
  Injectable,
  Param,
  Res,
  UseFilters,
  UseGuards,
  type ArgumentsHost,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OAuthAdmission } from '../../auth/guards/oauth-admission.js';
import { ApiError } from '../../common/errors/api-error.js';
import { PostPreviewsService } from './post-previews.service.js';
import { PreviewLinks } from './preview-links.js';
import { PreviewPages } from './preview-pages.js';

/** Counts the previews that an address opens. */
@Injectable()
export class PreviewGuard implements CanActivate {
  constructor(private readonly admission: OAuthAdmission) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    await this.admission.admitAddress(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), 'PREVIEWS');
    return true;
  }
}

/** Answers errors with a page that can be framed, too; unexpected ones are left to ApiErrorFilter. */
@Catch(ApiError)
@Injectable()
export class PreviewErrorFilter implements ExceptionFilter<ApiError> {
  constructor(private readonly pages: PreviewPages) {}

  async catch({ status, message, headers }: ApiError, host: ArgumentsHost): Promise<void> {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const wait = headers['retry-after'];
    for (const [name, value] of Object.entries(headers)) reply.header(name, value);
    const text = wait ? `Please try again in ${wait} seconds.` : message;
    await this.pages.problem(reply, { title: 'This preview cannot be shown now', text, status });
  }
}

/** What the frames of previews show (Part 2, 4.9). Whoever has the URL sees it: there is no session, and no cookie. */
@ApiExcludeController()
@Controller('previews')
@UseGuards(PreviewGuard)
@UseFilters(PreviewErrorFilter)
export class PreviewPageController {
  constructor(
    private readonly previews: PostPreviewsService,
    private readonly links: PreviewLinks,
    private readonly pages: PreviewPages,
  ) {}

  @Get(':token')
  async show(@Param('token') token: string, @Res() reply: FastifyReply) {
    const previewed = this.links.read(token);
    if (previewed === undefined) return this.pages.problem(reply, UNKNOWN);
    if (previewed === 'expired') return this.pages.problem(reply, EXPIRED);
    const post = await this.previews.find(previewed);
    if (!post) return this.pages.problem(reply, GONE);
    await this.pages.post(reply, post);
  }
}

const UNKNOWN = {
  title: 'There is no preview here',
  text: 'The address of this preview is not complete, or was changed.',
  status: 404,
};
const EXPIRED = {
  title: 'This preview has expired',
  text: 'Previews can be opened for 24 hours. Ask for a new one.',
  status: 410,
};
const GONE = {
  title: 'This post is not there any more',
  text: 'It was deleted since the preview was made, or the account cannot see it any more.',
  status: 404,
};

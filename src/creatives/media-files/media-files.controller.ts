import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pageNotFound } from '../../common/errors/catalogue.js';
import { sendBlob } from '../../common/http/answers/send-blob.js';
import { MediaFilesService } from './media-files.service.js';

/** The files themselves. Whoever has the URL of one may read it: nobody guesses it, and browsers cannot sign. */
@Controller('media')
@ApiExcludeController()
export class MediaFilesController {
  constructor(private readonly files: MediaFilesService) {}

  /** An image, a GIF, a video or a poster, whole or a range of it. */
  @Get(':file')
  async send(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('file') file: string) {
    const found = await this.files.find(file);
    if (!found) throw pageNotFound();
    await sendBlob(request, reply, found);
  }
}

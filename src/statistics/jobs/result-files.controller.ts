import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pageNotFound } from '../../common/errors/catalogue.js';
import { sendBlob } from '../../common/http/answers/send-blob.js';
import { ResultFilesService } from './result-files.service.js';

/** Serves the files of jobs. The signed path is the only protection, and signatures of clients are ignored. */
@Controller('statistics')
@ApiExcludeController()
export class ResultFilesController {
  constructor(private readonly files: ResultFilesService) {}

  /** Returns the file of a job, in full or as a byte range. */
  @Get(':file')
  async send(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('file') name: string) {
    const found = await this.files.find(name);
    if (!found) throw pageNotFound();
    await sendBlob(request, reply, found);
  }
}

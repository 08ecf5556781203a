// An authorization server: oauth2-mock-server, which lets everyone in. It listens at PORT.
import { OAuth2Server } from "oauth2-mock-server";

const server = new OAuth2Server();
await server.issuer.keys.generate("RS256");
await server.start(Number(process.env.PORT), "127.0.0.1");
server.issuer.url = `http://127.0.0.1:${process.env.PORT}`;

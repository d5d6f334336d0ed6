//! stub
mod chat; mod consent; mod pump; mod serve; mod typed; mod view;

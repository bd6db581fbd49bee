Playground.startCertificate=()=>{};
